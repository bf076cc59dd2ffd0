// The line of the log for everything that a stop could not finish in time (docs/exit-codes.md).
import type { Log } from "../contracts/log.js";

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
