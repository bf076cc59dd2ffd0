// One provider that the daemon runs as a child: started, watched, and started again with back-off when it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { MessageMaker } from "../../protocols/a2e/messages/message.js";
import { createHostProvider } from "../../protocols/a2e/provider-sessions/host-provider.js";
import type { Router } from "../../protocols/a2e/providers/router.js";
import { runExchange, type TextCodec } from "../../runtime/run-exchange.js";
import type { ProviderChoice } from "../config/config.js";
import { createRestartWaits } from "./restart-waits.js";

export interface ProviderProcessServices {
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly clock: Clock;
  readonly log: Log;
  readonly codec: TextCodec<Uint8Array>;
  readonly maxFrameBytes: number;
}

export interface ProviderProcess {
  readonly name: string;
  /** For the status. */
  readonly state: () => "starting" | "ready" | "waiting" | "stopped";
  readonly pid: () => number | undefined;
  readonly restartCount: () => number;
  /** Resolves when the first start has succeeded or failed. */
  readonly settled: Promise<void>;
  /** How the process ended last; undefined while it never has. */
  readonly lastEnd: () => string | undefined;
  /** Starts the process if it does not run. */
  readonly start: () => void;
  /** Asks the process to end, and ends it by force at `until`. Never rejects. */
  readonly stop: (until: Millis) => Promise<void>;
}

/** How long a host has for its handshake. */
const HANDSHAKE_MS = 30_000;
/** From the end of its input to SIGTERM, as A2E's own clients give a host, and from there to SIGKILL. */
const TERM_AFTER_MS = 3000;
const KILL_AFTER_MS = 2000;

/** Lines of a host's standard error that are logged, of at most this many characters. */
const LONGEST_LINE = 2000;

export function createProviderProcess(choice: ProviderChoice, services: ProviderProcessServices): ProviderProcess {
  const { clock, log } = services;
  const { name, command } = choice;
  let child: ChildProcess | undefined;
  let conversation: Conversation | undefined;
  let state: ReturnType<ProviderProcess["state"]> = "stopped";
  let restartCount = 0;
  const nextWait = createRestartWaits();
  let lastEnd: string | undefined;
  let cancelRestart = (): void => {};
  let isStopping = false;
  let exited: Promise<void> = Promise.resolve();
  let tellSettled = (): void => {};
  const settled = new Promise<void>((resolve) => {
    tellSettled = resolve;
  });

  const run = (): void => {
    const [program = "", ...parameters] = command;
    const begun = clock.now();
    state = "starting";
    const started = spawn(program, parameters, { stdio: ["pipe", "pipe", "pipe"] });
    child = started;
    exited = new Promise((resolve) => {
      let isOver = false;
      const over = (how: string): void => {
        if (isOver) return;
        isOver = true;
        lastEnd = how;
        resolve();
        ended(begun);
      };
      started.once("error", (error) => over(`could not be started: ${error.message}`));
      started.once("close", (code, signal) =>
        over(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
      );
    });
    logErrors(started, name, log);
    // A broken pipe is the end of the process, which is told there.
    started.stdin?.on("error", () => {});
    if (started.stdin === null || started.stdout === null) return;
    const connection = createByteConnection(
      { readable: started.stdout, writable: started.stdin },
      { label: `a2e:${name}`, trust: "same-user" },
      { framing: "newline", isLinesOnly: true, maxFrameBytes: services.maxFrameBytes },
    );
    conversation = runExchange(
      connection,
      services.codec,
      {
        open: (_, host) =>
          createHostProvider(
            {
              ...choice,
              router: services.router,
              maker: services.maker,
              log,
              afterTurn: clock.afterTurn,
              ready: () => {
                state = "ready";
                tellSettled();
                log.info({ provider: name, pid: started.pid }, "an A2E provider is ready");
              },
            },
            host,
          ),
      },
      { clock, log, handshakeTimeoutMs: () => HANDSHAKE_MS },
    );
    // Without its pipes a host is of no use, and would stay.
    void conversation.done.then(() => started.kill("SIGTERM"));
  };

  const ended = (begun: Millis): void => {
    child = undefined;
    conversation = undefined;
    tellSettled();
    if (isStopping) {
      state = "stopped";
      return;
    }
    const waitMs = nextWait(clock.now() - begun);
    restartCount += 1;
    state = "waiting";
    log.warn({ provider: name, how: lastEnd, restart_in_ms: waitMs }, "an A2E provider has ended");
    cancelRestart = clock.wakeAt(clock.now() + waitMs, run);
  };

  return {
    name,
    state: () => state,
    pid: () => child?.pid,
    restartCount: () => restartCount,
    lastEnd: () => lastEnd,
    settled,
    start: () => {
      if (child === undefined && state === "stopped") run();
    },
    stop: async (until) => {
      isStopping = true;
      cancelRestart();
      const running = child;
      if (running === undefined) {
        state = "stopped";
        return;
      }
      void conversation?.finish("producer_shutdown", Math.min(until, clock.now() + TERM_AFTER_MS));
      const cancelTerm = clock.wakeAt(Math.min(until, clock.now() + TERM_AFTER_MS), () => running.kill("SIGTERM"));
      const cancelKill = clock.wakeAt(Math.min(until, clock.now() + TERM_AFTER_MS + KILL_AFTER_MS), () =>
        running.kill("SIGKILL"),
      );
      await exited;
      cancelTerm();
      cancelKill();
    },
  };
}

/** Passes a host's standard error on to the log, a line at a time. */
function logErrors(child: ChildProcess, name: string, log: Log): void {
  let held = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (held + text).split("\n");
    held = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines)
      if (line.trim() !== "") log.info({ provider: name, line: line.slice(0, LONGEST_LINE) }, "an A2E provider writes");
  });
}
