// One provider that the daemon runs as a child: started, watched, and started again with back-off when it ends.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import { faultFrom } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Log } from "../../contracts/log.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { MessageMaker } from "../../protocols/a2e/messages/message.js";
import { HostProvider } from "../../protocols/a2e/providers/host-provider.js";
import type { Router } from "../../protocols/a2e/providers/router.js";
import { Exchange, type ExchangeServices } from "../../runtime/run-exchange.js";
import type { ProviderChoice } from "../config/a2e-choices.js";

export interface ProviderProcessServices extends Omit<ExchangeServices, "handshakeTimeoutMs"> {
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly codec: TextCodec<Uint8Array>;
  readonly maxFrameBytes: number;
  /** How long a host may take from its start to the end of its handshake. Read at each start. */
  readonly startMs: () => Millis;
}

export type ProviderProcess = ReturnType<typeof createProviderProcess>;

/** From the end of its input to SIGTERM, as A2E's own clients give a host, and from there to SIGKILL. */
const TERM_AFTER_MS = 3000;
const KILL_AFTER_MS = 2000;
/** From the end of a process to the end of what it wrote. A process of its own may keep its pipes open for ever. */
const LAST_OUTPUT_MS = 500;

export function createProviderProcess(choice: ProviderChoice, services: ProviderProcessServices) {
  const { clock, log } = services;
  const { name, command } = choice;
  let child: ChildProcess | undefined;
  let conversation: Conversation | undefined;
  let state: "starting" | "ready" | "waiting" | "stopped" = "stopped";
  let restartCount = 0;
  let waitMs = 0;
  let lastEnd: string | undefined;
  let cancelRestart = (): void => {};
  let cancelKill = (): void => {};
  let isStopping = false;
  let exited: Promise<void> = Promise.resolve();
  const { promise: settled, resolve: tellSettled } = withResolvers();

  const run = (): void => {
    const begun = clock.now();
    state = "starting";
    let isOver = false;
    const { promise, resolve: tellExited } = withResolvers();
    exited = promise;
    const over = (how: string): void => {
      if (isOver) return;
      isOver = true;
      lastEnd = how;
      cancelKill();
      for (const stream of child?.stdio ?? []) stream?.destroy();
      tellExited();
      ended(begun);
    };
    try {
      start(over);
    } catch (caught) {
      if (child !== undefined) signalGroup(child, "SIGKILL");
      over(`could not be started: ${faultFrom(caught).sentence}`);
    }
  };

  /** Throws where the system has no room for another process, or for its pipes. */
  const start = (over: (how: string) => void): void => {
    const [program = "", ...parameters] = command;
    const started = spawn(program, parameters, {
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, so that its own processes end with it.
      detached: HAS_GROUPS,
    });
    child = started;
    const endOf = (code: number | null, signal: string | null): string =>
      signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    started.once("error", (error) => over(`could not be started: ${error.message}`));
    started.once("exit", (code, signal) => {
      signalGroup(started, "SIGKILL");
      clock.wakeAt(clock.now() + LAST_OUTPUT_MS, () => over(endOf(code, signal)));
    });
    started.once("close", (code, signal) => over(endOf(code, signal)));
    // A broken pipe is the end of the process, which is told there.
    started.stdin?.on("error", () => {});
    // Without a process there are no pipes.
    if (!started.stdin || !started.stdout || !started.stderr) return;
    logErrorLines(started.stderr, name, services);
    const connection = createByteConnection(
      { readable: started.stdout, writable: started.stdin },
      { label: `a2e:${name}`, trust: "same-user" },
      { framing: "newline", isLinesOnly: true, maxFrameBytes: services.maxFrameBytes },
    );
    const joined = new Exchange(
      connection,
      services.codec,
      {
        open: (_, host) =>
          new HostProvider(
            {
              ...choice,
              router: services.router,
              maker: services.maker,
              log,
              clock,
              ready: () => {
                state = "ready";
                tellSettled();
                log.info({ provider: name, host_pid: started.pid }, "an A2E provider is ready");
              },
            },
            host,
          ),
      },
      { ...services, handshakeTimeoutMs: services.startMs },
    );
    conversation = joined;
    void joined.done.then(() => {
      if (child !== started) return;
      // Without its pipes a host is of no use, and would stay.
      if (state === "ready") state = "waiting";
      signalGroup(started, "SIGTERM");
      cancelKill = clock.wakeAt(clock.now() + KILL_AFTER_MS, () => signalGroup(started, "SIGKILL"));
    });
  };

  const ended = (begun: Millis): void => {
    child = undefined;
    conversation = undefined;
    tellSettled();
    if (isStopping) {
      state = "stopped";
      return;
    }
    waitMs = waitAfter(waitMs, clock.now() - begun);
    restartCount += 1;
    state = "waiting";
    const remedy = "It is started again by itself. Its own lines in this log may say why it ended.";
    log.warn({ provider: name, how: lastEnd, restart_in_ms: waitMs, remedy }, "an A2E provider has ended");
    cancelRestart = clock.wakeAt(clock.now() + waitMs, run);
  };

  return {
    choice,
    state: (): typeof state => state,
    pid: () => child?.pid,
    restartCount: () => restartCount,
    /** How the process ended last; undefined while it never has. */
    lastEnd: () => lastEnd,
    /** Resolves when the first start has succeeded or failed. */
    settled,
    /** Starts the process if it does not run. */
    start: (): void => {
      if (child === undefined && state === "stopped") run();
    },
    /** Asks the process to end, and ends it by force at `until`. Never rejects. */
    stop: async (until: Millis): Promise<void> => {
      isStopping = true;
      cancelRestart();
      const running = child;
      if (running === undefined) {
        state = "stopped";
        return;
      }
      void conversation?.finish("producer_shutdown", Math.min(until, clock.now() + TERM_AFTER_MS));
      const cancelTerm = clock.wakeAt(Math.min(until, clock.now() + TERM_AFTER_MS), () =>
        signalGroup(running, "SIGTERM"),
      );
      const cancelForce = clock.wakeAt(Math.min(until, clock.now() + TERM_AFTER_MS + KILL_AFTER_MS), () =>
        signalGroup(running, "SIGKILL"),
      );
      await exited;
      cancelTerm();
      cancelForce();
    },
  };
}

const FIRST_WAIT_MS: Millis = 500;
const LONGEST_WAIT_MS: Millis = 60_000;

/**
 * The wait between the end of a process and its next start: 500 ms at first, then twice the one before, at most a minute. A process that ran longer
 * than a minute begins with the first wait again. `before`: the last wait; 0 if there was none.
 */
export function waitAfter(before: Millis, ranMs: Millis): Millis {
  return before === 0 || ranMs > LONGEST_WAIT_MS ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, before * 2);
}

const HAS_GROUPS = process.platform !== "win32";

/** Sends a signal to a process and all processes that it started and that stayed in its group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // All of them have ended.
  }
}

/** Most characters of a line that is logged. */
const LONGEST_LINE = 2000;
/** Most lines in a period. Further ones are counted (R34). */
const MOST_LINES = 100;
const PERIOD_MS: Millis = 1000;

/** Passes the lines of a host's standard error on to the log, at most 100 a second. */
export function logErrorLines(
  source: Readable,
  name: string,
  { log, clock }: { readonly log: Pick<Log, "info" | "warn">; readonly clock: Pick<Clock, "now"> },
): void {
  let held = "";
  let periodEnd = Number.NEGATIVE_INFINITY;
  let left = 0;
  let omitted = 0;

  const tell = (line: string): void => {
    if (clock.now() >= periodEnd) {
      if (omitted > 0) log.warn({ provider: name, lines: omitted }, "an A2E provider wrote more lines than are logged");
      periodEnd = clock.now() + PERIOD_MS;
      left = MOST_LINES;
      omitted = 0;
    }
    if (left === 0) {
      omitted += 1;
      return;
    }
    left -= 1;
    log.info({ provider: name, line: line.slice(0, LONGEST_LINE) }, "an A2E provider writes");
  };

  source.setEncoding("utf8").on("data", (text: string) => {
    const lines = (held + text).split("\n");
    held = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) if (line.trim() !== "") tell(line);
  });
}
