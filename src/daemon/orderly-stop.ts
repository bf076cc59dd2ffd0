// An orderly stop: how its time is divided, so that the process ends in order within it, and what it could not finish (R8a, docs/exit-codes.md).
import type { Millis } from "../contracts/clock.js";
import type { Log } from "../contracts/log.js";
import type { Configuration } from "./config/config.js";

/** Under stdio the process ends within two seconds, whatever is configured (R8a). */
const STDIO_STOP_MS: Millis = 2000;
/** Time for the steps after the hand-over: peers end their side, the journal and the audit log are written out. */
const CLOSING_MS: Millis = 700;
/** Time for the last lines of the log. */
const LAST_LINES_MS: Millis = 200;

/** Lengths of time from the beginning of a stop, ms. */
export interface StopTimes {
  /** Limit for ending the sessions. A quarter of the time for the hand-over is left for the subscriptions. */
  readonly sessionsMs: Millis;
  /** Limit for handing over pending deliveries. */
  readonly handOverMs: Millis;
  /** Limit of the whole stop; connections that still hang are dropped. */
  readonly totalMs: Millis;
}

export function stopTimes(
  { stopTimeoutSeconds }: Pick<Configuration, "stopTimeoutSeconds">,
  isStdio: boolean,
): StopTimes {
  const wholeMs = Math.min(stopTimeoutSeconds * 1000, isStdio ? STDIO_STOP_MS : Number.POSITIVE_INFINITY);
  const totalMs = wholeMs - LAST_LINES_MS;
  const handOverMs = Math.max(LAST_LINES_MS, totalMs - CLOSING_MS);
  return { sessionsMs: (handOverMs * 3) / 4, handOverMs, totalMs };
}

const SENTENCE =
  "the stop took its time (stop_timeout_seconds): so many connections did not take what they were owed, at most so many messages in all, and so many sessions were not ended";

/** Logs one line for everything that a stop could not finish in time. */
export function tellUnfinished(leftCounts: readonly number[], sessionCount: number, log: Log): void {
  const left = leftCounts.filter((count) => count > 0);
  if (left.length === 0 && sessionCount === 0) return;
  const messages = left.reduce((sum, count) => sum + count, 0);
  const remedy = "Raise --stop-timeout-seconds if they need longer.";
  log.warn({ connections: left.length, messages, sessions: sessionCount, remedy }, SENTENCE);
}
