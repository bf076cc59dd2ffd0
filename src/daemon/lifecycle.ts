// Ends the process of a daemon. A signal, the end of standard input, the parent's end and an uncaught error all take the same way: one log line with
// the reason, an orderly stop, and an exit when its time is over, whatever hangs (R8a).
import type { Readable } from "node:stream";
import { watchParent } from "../../transports/stdio/watch-parent.js";
import { Fault } from "../base/errors.js";
import { withResolvers } from "../base/with-resolvers.js";
import type { Daemon, StopReason } from "./daemon.js";
import { EXIT_CODES } from "./platform/exit-codes.js";
import type { DaemonLog } from "./platform/log.js";
import type { ServiceManager } from "./service-manager/notify.js";

/** The part of a running daemon that its lifecycle needs. `stop` is called once. */
export type Stoppable = Pick<Daemon, "stop" | "stopped">;

/** The part of a process that is watched and ended. A parameter, so that tests can pass another. */
export interface ProcessHost {
  readonly on: (event: string, listener: (...facts: readonly unknown[]) => void) => unknown;
  readonly off: (event: string, listener: (...facts: readonly unknown[]) => void) => unknown;
  readonly exit: (code: number) => void;
}

export interface LifecycleOptions<Running extends Stoppable> {
  readonly log: DaemonLog;
  readonly start: () => Promise<Running>;
  /** Called when every address listens. */
  readonly ready: (running: Running) => void;
  /** Its end ends the daemon. Undefined: standard input is ignored. */
  readonly stdin: Readable | undefined;
  readonly watchParent: boolean;
  /** Longest orderly stop, ms; the last log lines come after it. Read when a stop begins. */
  readonly stopWithinMs: () => number;
  /**
   * Called on SIGHUP instead of a stop, to read the configuration again (R8b). An error thrown here is logged and changes nothing. A SIGHUP before
   * every address listens takes effect afterwards; during a stop it is ignored. Default: SIGHUP stops.
   */
  readonly reload?: (running: Running) => void;
  /** Hears of the beginning, of each reload and of the stop. Default: nobody does. */
  readonly manager?: ServiceManager | undefined;
  /** Default: this process. */
  readonly host?: ProcessHost;
  /** Default: checks the parent of this process once a second. */
  readonly watch?: (onGone: () => void) => () => void;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
const HANGUP = "SIGHUP";
const ENDINGS_OF_STDIN = ["end", "close", "error"] as const;
/** Time for the last log lines, ms. */
const FLUSH_MS = 100;
/** Time for the last messages to a service manager, ms. A program carries each of them. */
const LAST_MESSAGES_MS = 1000;

interface Ending {
  readonly reason: StopReason;
  readonly code: number;
}

/**
 * Starts a daemon, and ends the process with one of EXIT_CODES when the daemon has stopped. Rejects if it cannot start, after releasing everything.
 * Resolves only with a host whose `exit` returns.
 */
export async function runDaemon<Running extends Stoppable>(options: LifecycleOptions<Running>): Promise<void> {
  const { log, stdin, reload, manager, host = process } = options;
  const watch = options.watch ?? ((onGone: () => void) => watchParent({ onGone }));
  let ending: Ending | undefined;
  const { promise: asked, resolve: tellEnding } = withResolvers<Ending>();
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
    manager?.stopping();
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
    manager?.reloading();
    try {
      reload?.(running);
    } catch (caught) {
      const why = caught instanceof Fault ? { reason: caught.sentence } : { err: caught };
      log.error(why, "the configuration could not be read again; nothing is changed");
    }
    manager?.ready();
  }

  function onUncaught(error: unknown): void {
    if (ending === undefined) end("signal", EXIT_CODES.crashed.code, { reason: "internal_error", err: error });
    else log.error({ err: error }, "an error while stopping");
  }

  function onStdin(): void {
    end("stdin_ended", EXIT_CODES.done.code, { reason: "stdin_ended" });
  }

  const heard: readonly (readonly [event: string, listener: (fact: unknown) => void])[] = [
    ...STOP_SIGNALS.map((signal) => [signal, onSignal] as const),
    [HANGUP, reload === undefined ? onSignal : onHangup],
    ["uncaughtException", onUncaught],
    ["unhandledRejection", onUncaught],
  ];
  for (const [event, listener] of heard) host.on(event, listener);
  for (const event of ENDINGS_OF_STDIN) stdin?.on(event, onStdin);
  const stopWatching = options.watchParent
    ? watch(() => end("parent_gone", EXIT_CODES.parentGone.code, { reason: "parent_gone" }))
    : () => {};

  function giveBack(): void {
    clearTimeout(deadline);
    stopWatching();
    for (const [event, listener] of heard) host.off(event, listener);
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
  if (ending === undefined) {
    options.ready(running);
    manager?.ready();
  }
  if (isReloadAsked) onHangup();
  // A daemon that stopped by itself has ended in order too.
  const why = await Promise.race([asked, running.stopped.then(ignored, ignored)]);
  if (why === undefined) log.info({ reason: "nothing_left", exitCode: EXIT_CODES.done.code }, "stopped");
  else await stopInOrder(running, why, log);
  clearTimeout(deadline);
  await log.flush(FLUSH_MS);
  await manager?.settled(LAST_MESSAGES_MS);
  giveBack();
  host.exit(why?.code ?? EXIT_CODES.done.code);
}

const ignored = (): undefined => undefined;

async function stopInOrder(running: Stoppable, why: Ending, log: DaemonLog): Promise<void> {
  try {
    await running.stop(why.reason);
    log.info({ exitCode: why.code }, "stopped");
  } catch (error) {
    log.error({ err: error, exitCode: why.code }, "stopped, with an error on the way");
  }
}
