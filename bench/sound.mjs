// A Speech Dispatcher of its own, and what is heard of it without a sound card: a null sink of PulseAudio, recorded while it plays.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

const SAMPLES_A_SECOND = 22_050;
/** A sample beyond it is sound. The synthesizer's silence is 0. */
const LOUD = 60;
/** Samples of which is told whether they are sound, and the changes of sign from which on that is a hiss, as in "sh". No vowel has so many. */
const WINDOW = 64;
const HISS = 20;
const LOOK_MS = 20;

const running = new Set();
// A run that is broken off leaves nothing behind.
process.once("exit", () => running.forEach((child) => void child.kill("SIGKILL")));

/** Resolves when PulseAudio plays into nothing. `environment` leads programs to it. Its files are in `folder`. */
export async function startSink(folder) {
  const socket = join(folder, "pulse.sock");
  const modules = [
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
    `module-null-sink sink_name=heard rate=${SAMPLES_A_SECOND} channels=1 format=s16le`,
  ];
  const options = ["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"];
  const environment = { PULSE_SERVER: `unix:${socket}`, PULSE_COOKIE: join(folder, "cookie") };
  const child = start("pulseaudio", [...options, ...modules.flatMap((one) => ["-L", one])], folder, environment);
  await listening(socket);
  return { environment, stop: () => ended(child) };
}

/** Resolves when Speech Dispatcher listens. `module`: a program that speaks; default: eSpeak NG. `environment` is the module's too. */
export async function startDispatcher(folder, { module = "sd_espeak-ng", environment = {} } = {}) {
  const path = join(folder, "speechd.sock");
  mkdirSync(join(folder, "conf", "modules"), { recursive: true });
  const lines = [
    "LogLevel 3",
    `LogDir "${folder}"`,
    'AudioOutputMethod "pulse"',
    "AudioPulseMinLength 10",
    'DefaultLanguage "en"',
    `AddModule "one" "${module}" ""`,
    'DefaultModule "one"',
  ];
  writeFileSync(join(folder, "conf", "speechd.conf"), `${lines.join("\n")}\n`);
  const files = ["-C", join(folder, "conf"), "-P", join(folder, "pid"), "-L", folder, "-S", path];
  const child = start("speech-dispatcher", ["-s", "-t", "0", "-c", "unix_socket", ...files], folder, environment);
  await listening(path);
  return { path, stop: () => ended(child), kill: () => ended(child, "SIGKILL") };
}

/** Records the sink. Times are those of `performance.now()`, to 3 ms. */
export function startRecorder({ environment }) {
  const format = ["--raw", "--format=s16le", `--rate=${SAMPLES_A_SECOND}`, "--channels=1", "--latency-msec=5"];
  const child = start("parec", ["-d", "heard.monitor", ...format], undefined, environment);
  const sounds = [];
  let rest = Buffer.alloc(0);
  child.stdout.on("data", (data) => {
    // It comes when its last sample was played.
    const now = performance.now();
    const bytes = Buffer.concat([rest, data]);
    const count = Math.floor(bytes.length / 2 / WINDOW);
    for (let index = 0; index < count; index += 1) {
      const samples = Array.from({ length: WINDOW }, (_, at) => bytes.readInt16LE(2 * (index * WINDOW + at)));
      if (!samples.some((one) => Math.abs(one) > LOUD)) continue;
      const crossings = samples.filter((one, at) => at > 0 && one < 0 !== samples[at - 1] < 0).length;
      const behind = bytes.length / 2 - index * WINDOW;
      sounds.push({ at: now - (behind / SAMPLES_A_SECOND) * 1000, isHiss: crossings > HISS });
    }
    rest = bytes.subarray(count * 2 * WINDOW);
  });
  const since = (from) => sounds.slice(sounds.findLastIndex(({ at }) => at < from) + 1);
  return {
    /** When the first sound was heard from then on; undefined: none yet. */
    first: (from) => since(from)[0]?.at,
    /** Likewise, the first "sh". */
    firstHiss: (from) => since(from).find(({ isHiss }) => isHiss)?.at,
    /** When the last sound was heard from then on; `from` if there was none. */
    last: (from) => since(from).at(-1)?.at ?? from,
    stop: () => ended(child),
  };
}

function start(program, options, home, environment) {
  // No settings of the user's.
  const own = home === undefined ? {} : { HOME: home, XDG_RUNTIME_DIR: home };
  const env = { ...process.env, ...own, ...environment };
  const child = spawn(program, options, { env, stdio: ["ignore", "pipe", "ignore"] });
  running.add(child);
  return child.once("exit", () => running.delete(child));
}

function ended(child, signal = "SIGTERM") {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", resolve);
    child.kill(signal);
  });
}

async function listening(path) {
  const isThere = () =>
    new Promise((resolve) => {
      const socket = connect(path, () => resolve(true));
      socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
    });
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
