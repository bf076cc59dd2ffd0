// How the process of a daemon ends. Whatever asks for it (a signal, the end of standard input, the parent's end, an error nobody caught) takes the
// same way: one line in the log that says why, an orderly stop, and an exit when its time is over whatever hangs (R8a, S2, S3, S9).
import type { Readable } from "node:stream";
import { watchParent } from "../../transports/stdio/watch-parent.js";
import { Fault } from "../base/errors.js";
import type { Daemon, StopReason } from "./daemon.js";
import { EXIT_CODES } from "./platform/exit-codes.js";
import type { DaemonLog } from "./platform/log.js";

/** What of a running daemon its lifecycle needs. `stop` is called once. */
export type Stoppable = Pick<Daemon, "stop" | "stopped">;

/** What of a process is watched and ended. A parameter, so that tests can hand in another. */
export interface ProcessHost {
  readonly on: (event: string, listener: (...facts: readonly unknown[]) => void) => unknown;
  readonly off: (event: string, listener: (...facts: readonly unknown[]) => void) => unknown;
  readonly exit: (code: number) => void;
}

export interface LifecycleOptions<Running extends Stoppable> {
  readonly log: DaemonLog;
  readonly start: () => Promise<Running>;
  /** Called when everything listens. */
  readonly ready: (running: Running) => void;
  /** Its end ends the daemon. Undefined where standard input is nobody's business. */
  readonly stdin: Readable | undefined;
  readonly watchParent: boolean;
  /** How long an orderly stop may take, ms; the last log lines come after it. Asked when one begins. */
  readonly stopWithinMs: () => number;
  /**
   * SIGHUP calls it in place of a stop, to read the configuration again (R8b). An error that it throws is logged, and changes nothing. A SIGHUP that
   * comes before everything listens is heard then, and one during a stop not at all. Default: SIGHUP stops.
   */
  readonly reload?: (running: Running) => void;
  /** Default this process. */
  readonly host?: ProcessHost;
  /** Default the parent of this process, looked at once a second. */
  readonly watch?: (onGone: () => void) => () => void;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
const HANGUP = "SIGHUP";
const ENDINGS_OF_STDIN = ["end", "close", "error"] as const;
/** How long the last log lines may take. */
const FLUSH_MS = 100;

interface Ending {
  readonly reason: StopReason;
  readonly code: number;
}

/**
 * Starts a daemon and ends the process with one of EXIT_CODES when it has stopped. Rejects where it cannot start, with everything given back;
 * resolves only with a host whose `exit` returns.
 */
export async function runDaemon<Running extends Stoppable>(options: LifecycleOptions<Running>): Promise<void> {
  const { log, stdin, reload, host = process } = options;
  const stopSignals = reload === undefined ? [...STOP_SIGNALS, HANGUP] : STOP_SIGNALS;
  const watch = options.watch ?? ((onGone: () => void) => watchParent({ onGone }));
  let ending: Ending | undefined;
  let tellEnding: (why: Ending) => void = () => {};
  const asked = new Promise<Ending>((resolve) => {
    tellEnding = resolve;
  });
  let running: Running | undefined;
  let isReloadAsked = false;
  let deadline: ReturnType<typeof setTimeout> | undefined;

  function cutShort(why: string): void {
    log.error({ reason: why, exitCode: EXIT_CODES.cutShort.code }, "exiting before everything was in order");
    host.exit(EXIT_CODES.cutShort.code);
  }

  function end(reason: StopReason, code: number, fields: Readonly<Record<string, unknown>>): void {
    if (ending !== undefined) return;
    ending = { reason, code };
    const level = code === EXIT_CODES.done.code ? "info" : code === EXIT_CODES.crashed.code ? "error" : "warn";
    log[level]({ ...fields, exitCode: code }, "stopping");
    const stopWithinMs = options.stopWithinMs();
    deadline = setTimeout(cutShort, stopWithinMs, `not stopped ${stopWithinMs} ms after it was asked to`);
    tellEnding(ending);
  }

  function onSignal(signal: unknown): void {
    if (ending?.reason === "signal" && ending.code === EXIT_CODES.done.code) cutShort(`${String(signal)}, the second`);
    else end("signal", EXIT_CODES.done.code, { reason: "signal", signal });
  }

  function onHangup(): void {
    if (ending !== undefined) return;
    isReloadAsked = running === undefined;
    if (running === undefined) return;
    try {
      reload?.(running);
    } catch (caught) {
      const why = caught instanceof Fault ? { reason: caught.sentence } : { err: caught };
      log.error(why, "the configuration could not be read again; nothing is changed");
    }
  }

  function onUncaught(error: unknown): void {
    if (ending === undefined) end("signal", EXIT_CODES.crashed.code, { reason: "internal_error", err: error });
    else log.error({ err: error }, "an error while stopping");
  }

  function onStdin(): void {
    end("stdin_ended", EXIT_CODES.done.code, { reason: "stdin_ended" });
  }

  for (const signal of stopSignals) host.on(signal, onSignal);
  if (reload !== undefined) host.on(HANGUP, onHangup);
  host.on("uncaughtException", onUncaught);
  host.on("unhandledRejection", onUncaught);
  for (const event of ENDINGS_OF_STDIN) stdin?.on(event, onStdin);
  const stopWatching = options.watchParent
    ? watch(() => end("parent_gone", EXIT_CODES.parentGone.code, { reason: "parent_gone" }))
    : () => {};

  function giveBack(): void {
    clearTimeout(deadline);
    stopWatching();
    for (const signal of stopSignals) host.off(signal, onSignal);
    host.off(HANGUP, onHangup);
    host.off("uncaughtException", onUncaught);
    host.off("unhandledRejection", onUncaught);
    for (const event of ENDINGS_OF_STDIN) stdin?.off(event, onStdin);
  }

  let started: Running;
  try {
    started = await options.start();
  } catch (caught) {
    giveBack();
    throw caught;
  }
  running = started;
  if (ending === undefined) options.ready(running);
  if (isReloadAsked) onHangup();
  // Where it stopped by itself, nobody asked; that is an orderly end too.
  const why = await Promise.race([asked, stoppedByItself(running)]);
  if (why === undefined) log.info({ reason: "nothing_left", exitCode: EXIT_CODES.done.code }, "stopped");
  else await stopInOrder(running, why, log);
  await log.flush(FLUSH_MS);
  giveBack();
  host.exit(why?.code ?? EXIT_CODES.done.code);
}

/** Never rejects: whatever went wrong, it has stopped. */
async function stoppedByItself(running: Stoppable): Promise<undefined> {
  await running.stopped.catch(() => undefined);
  return undefined;
}

async function stopInOrder(running: Stoppable, why: Ending, log: DaemonLog): Promise<void> {
  try {
    await running.stop(why.reason);
    log.info({ exitCode: why.code }, "stopped");
  } catch (error) {
    log.error({ err: error, exitCode: why.code }, "stopped, with an error on the way");
  }
}
