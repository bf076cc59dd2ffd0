// Deadlines that clients set for their calls, and why a call ended before its answer.
import { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { ServiceConnection } from "./connections.js";

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

/** Undefined: the client left the call, or was told by the library that its message is not taken. */
export type CallEnd = Fault | undefined;

/**
 * For a library that reports "cancelled" in every case, also for a message that it does not take. Called when the call begins. The result, called at
 * its end, tells why it ended after a delay in which a broken connection becomes known: resets and the end of their connection come together.
 */
export function watchCallEnd(
  call: { readonly getDeadline: () => Date | number },
  { peer, isConnected }: Pick<ServiceConnection, "peer" | "isConnected">,
): (tell: (end: CallEnd) => void) => void {
  // The library's deadline is a time of the clock on the wall, which may be set while the call runs.
  const leftMs = Number(call.getDeadline()) - Date.now();
  const resetsFrom = performance.now() + leftMs - deadlineSlack(leftMs);
  return (tell) => {
    if (performance.now() >= resetsFrom) tell(deadlinePassed());
    else onceEndIsKnown(() => tell(isConnected() ? undefined : connectionLost(peer.label)));
  };
}

function connectionLost(label: string): Fault {
  return new Fault("peer_gone", `The connection to ${label} has ended. Connect again to go on.`);
}
