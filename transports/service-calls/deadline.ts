// Deadlines that clients set for their calls, and calls that end before their answer.
import { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";

/**
 * Slack of a deadline: a client resets a call at the deadline of its own clock, which may come a little early here. A reset counts as the deadline if
 * it comes within the last second, or, of a call shorter than two seconds, in its second half.
 */
export function deadlineSlack(wholeMs: Millis): Millis {
  return Math.min(1000, wholeMs / 2);
}

export function deadlinePassed(): Fault {
  return new Fault("timed_out", "The deadline of this call has passed. Call again, with a later deadline or none.");
}

/** Calls `run` when the end of the connection is known, if a call ended with it: it is reported one or two turns after the end of its calls. */
export function onceEndIsKnown(run: () => void): void {
  setImmediate(() => setImmediate(run));
}
