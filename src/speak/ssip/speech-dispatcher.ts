// Connects to Speech Dispatcher, which is started where none runs.
import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { faultFromNodeError, isMissing, isRefused } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How long Speech Dispatcher may take to take a connection, to start, and then to listen; and the time between two looks, ms. */
const START_MS = 5000;
const LOOK_MS = 50;

const UNIX = "unix_socket";

/** The socket that `SPEECHD_ADDRESS` names, else the user's. Throws a Fault "usage" for an address of another kind. */
export function speechDispatcherPath({ SPEECHD_ADDRESS: address, XDG_RUNTIME_DIR, HOME }: Environment): string {
  const [kind, ...path] = (address ?? UNIX).split(":");
  if (kind !== UNIX) {
    const sentence = `The variable SPEECHD_ADDRESS is ${JSON.stringify(address)}. Only a Unix socket is spoken to: unix_socket:/path/to/speechd.sock.`;
    throw usage(sentence);
  }
  if (path.length > 0) return path.join(":");
  const [base, folder] = XDG_RUNTIME_DIR?.startsWith("/")
    ? [XDG_RUNTIME_DIR, "speech-dispatcher"]
    : [join(HOME ?? "/", ".cache"), "speech-dispatcher"];
  return join(base, folder, "speechd.sock");
}

export interface SpeechDispatcherOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Of the Speech Dispatcher that is started. */
  readonly environment: Environment;
}

/** Rejects with a Fault "not_found" that says what to install, if none runs and none can be started. `signal` ends the attempt. */
export async function connectSpeechDispatcher(
  options: SpeechDispatcherOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<Socket> {
  const { path, clock } = options;
  try {
    return await connectTo(options, signal);
  } catch (caught) {
    signal.throwIfAborted();
    if (!isMissing(caught) && !isRefused(caught)) throw faultFromNodeError(caught, path);
  }
  const whyNot = await start(options, signal);
  signal.throwIfAborted();
  if (whyNot !== undefined) throw noSpeech(whyNot);
  for (const until = clock.now() + START_MS; ; await wait(LOOK_MS, clock)) {
    try {
      return await connectTo(options, signal);
    } catch {
      signal.throwIfAborted();
      if (clock.now() >= until) throw noSpeech(`It was started, and does not listen at ${path}.`);
    }
  }
}

function connectTo({ path, clock }: SpeechDispatcherOptions, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const giveUp = (): void => void socket.destroy(noAnswer());
    const cancelTimer = clock.wakeAt(clock.now() + START_MS, giveUp);
    signal.addEventListener("abort", giveUp);
    const settled = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", giveUp);
    };
    socket.once("error", reject);
    socket.once("connect", () => {
      settled();
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("close", settled);
  });
}

/** Starts one that outlives this process, as its own clients do. Returns why it did not start. */
function start(
  { path, environment, clock }: SpeechDispatcherOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("speech-dispatcher", ["--spawn", "--communication-method", UNIX, "--socket-path", path], {
      env: environment,
      stdio: "ignore",
      signal,
      killSignal: "SIGKILL",
    });
    const cancelTimer = clock.wakeAt(clock.now() + START_MS, () => child.kill("SIGKILL"));
    child.once("error", (error) => {
      cancelTimer();
      resolve(isMissing(error) ? "It is not installed." : faultFromNodeError(error, "speech-dispatcher").sentence);
    });
    // It leaves its daemon behind, or refuses where its configuration forbids that.
    child.once("exit", (code, killedBy) => {
      cancelTimer();
      resolve(code === 0 ? undefined : `speech-dispatcher --spawn has ended with ${killedBy ?? code}.`);
    });
  });
}

function noAnswer(): Fault {
  return new Fault("timed_out", "Speech Dispatcher takes no connection.");
}

function noSpeech(why: string): Fault {
  const sentence = `Speech Dispatcher does not run. ${why} Install it, as in: apt install speech-dispatcher. Or let another program speak, with --to command.`;
  return new Fault("not_found", sentence, { origin: "local" });
}

function wait(ms: Millis, clock: SpeechDispatcherOptions["clock"]): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now() + ms, resolve));
}
