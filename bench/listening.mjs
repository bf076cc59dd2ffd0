// node bench/listening.mjs [COUNT], after npm run build
// Measures `aaepd speak` beside Speech Dispatcher and eSpeak NG by themselves, by what is heard. Both take turns in the same run.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pressKey } from "../dist/src/cli/speak/key.js";
import { openAgent } from "../dist/src/client/agent/open-agent.js";
import { ipcRpcConnector } from "../dist/src/client/node.js";
import { createClock } from "../dist/src/daemon/platform/clock.js";
import { SsipConnection } from "../dist/src/speak/ssip/ssip-connection.js";
import { AAEPD, createStage, timeOf } from "./children.mjs";
import { median, percentile } from "./measuring.mjs";
import { startDispatcher, startRecorder, startSink } from "./sound.mjs";

const COUNT = Number(process.argv[2] ?? 50);

const SHORT = "Shelf.";
/** Its first seconds have no hiss, so that the first one is another speech's beginning. */
const LONG = "moon in a warm room while a new moon may loom low in an aerial lane all morning and rain will mar a lawn";
/** Longer than a silence within a speech, and than a speech goes on that was silenced. */
const OVER_MS = 1000;
const QUESTION = { action: "Throw 40 books away", consequence: "They are gone.", timeout_seconds: 3600 };

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const stage = createStage();
const folder = dirname(stage.path("sound"));
const sink = await startSink(folder);
const dispatcher = await startDispatcher(folder, sink);
const recorder = startRecorder(sink);
const daemon = await stage.daemon();
const env = { ...stage.env, XDG_RUNTIME_DIR: folder, SPEECHD_ADDRESS: `unix_socket:${dispatcher.path}` };
const argv = [AAEPD, "speak", "--mode", "sentence", "--socket", daemon.socket];
const speaker = stage.own(spawn(process.execPath, argv, { env, stdio: ["ignore", "ignore", "pipe"] }));
await new Promise((resolve) => speaker.stderr.on("data", (text) => `${text}`.includes("Connected") && resolve()));
const agent = await openAgent({
  id: "bench",
  name: "Sheila",
  connectors: [{ connect: ipcRpcConnector(daemon.socket) }],
});
const session = agent.session("Measures.");
const [alone, reader] = await Promise.all(["alone", "reader"].map(ssip));
let questions = 0;

async function ssip(name) {
  const connection = new SsipConnection(connect(dispatcher.path), createClock());
  await connection.command(`SET SELF CLIENT_NAME bench:${name}:main`);
  await connection.command("SET SELF NOTIFICATION ALL on");
  return connection;
}

const say = (connection, text, priority) => connection.speak(text, [`SET SELF PRIORITY ${priority}`]);

const press = (key, words = [], question = undefined) =>
  pressKey(join(folder, "aaep", "speak.keys"), { key, words, question, variables: [] });

/** Resolves with the time until there is a sound, ms. */
async function heard(from, first = recorder.first) {
  for (;;) {
    const at = first(from);
    if (at !== undefined) return at - from;
    await sleep(20);
  }
}

/** Resolves with the time until the last sound, ms. `acted`: a busy machine may start a program late. */
async function silent(from, acted) {
  await acted;
  await sleep(OVER_MS);
  return recorder.last(from) - from;
}

/** Nothing is heard, and nothing waits. */
async function quiet() {
  await press("hush");
  for (let from = performance.now(); performance.now() - from < OVER_MS; await sleep(50))
    if (recorder.first(from) !== undefined) {
      await press("hush");
      from = performance.now();
    }
}

/** The time that `until` makes of the instant of `act`, at no fixed place in a long text. */
async function during(speak, act, until) {
  const begin = performance.now();
  await speak();
  await heard(begin);
  await sleep(400 + Math.random() * 400);
  const from = performance.now();
  const acted = act();
  return until(from, acted);
}

/** The time until it is heard. */
function spoken(speak) {
  const from = performance.now();
  return speak().then(() => heard(from));
}

const aaepdSays = () => session.say([LONG]);
const aloneSays = () => say(alone, LONG, "text");
const hissed = (from) => heard(from, recorder.firstHiss);

/** Each resolves with a time, ms. */
const WAYS = {
  "SPEAK to the first sound": () => spoken(() => say(alone, SHORT, "text")),
  "published to the first sound": () => spoken(() => session.say([SHORT])),
  "important over a text": () => during(aloneSays, () => say(alone, "Sheila asks.", "important"), hissed),
  "a question over a text": async () => {
    const ask = async () => void session.confirm(QUESTION).catch(() => {});
    const time = await during(aaepdSays, ask, hissed);
    questions += 1;
    await press("answer", ["reject"], questions);
    return time;
  },
  "node -e 0": () => timeOf(process.execPath, ["-e", "0"]),
  "CANCEL to silence": () => during(aloneSays, () => alone.command("CANCEL SELF"), silent),
  "hush to silence": () => during(aaepdSays, () => timeOf(process.execPath, [AAEPD, "hush"], "", env), silent),
  "a screen reader in silence": () => spoken(() => say(reader, SHORT, "message")),
  "STOP to silence": () => during(aloneSays, () => alone.command("STOP SELF"), silent),
  "a screen reader over a text": () => during(aaepdSays, () => say(reader, SHORT, "message"), hissed),
};

const names = Object.keys(WAYS);
const times = Object.fromEntries(names.map((name) => [name, []]));
// The first turn does not count. The order changes, so that no one is behind another always.
for (let turn = 0; turn <= COUNT; turn += 1)
  for (const [index] of names.entries()) {
    const name = names[(index + turn) % names.length];
    await quiet();
    const time = await WAYS[name]();
    if (turn > 0) times[name].push(time);
  }

for (const name of names) {
  const [least, tenth, middle, ninth, most] = [0, 0.1, 0.5, 0.9, 1].map((share) => percentile(times[name], share) | 0);
  console.log(`${name}: median ${middle} ms, 10 to 90 % ${tenth} to ${ninth}, ${least} to ${most}`);
}
const middles = names.map((name) => median(times[name]));
const [speak, published, important, question, node, cancel, hush, inSilence, stop, over] = middles;
const [latestStop, latestOver] = names.slice(-2).map((name) => Math.max(...times[name]));
for (const [what, figure, bound] of [
  ["published / SPEAK", published / speak, 2],
  ["a question / important", question / important, 1.5],
  ["(hush - node -e 0) / CANCEL", (hush - node) / cancel, 1.5],
  ["a screen reader begins later / STOP", (over - inSilence) / stop, 2],
  ["the same, the latest of both", (latestOver - inSilence) / latestStop, 2],
])
  console.log(`${figure <= bound ? "met" : "MISSED"}  ${what}: ${figure.toFixed(2)}, at most ${bound}`);

await agent.close(0);
await Promise.all([recorder.stop(), dispatcher.stop(), sink.stop(), stage.close()]);
process.exit();
