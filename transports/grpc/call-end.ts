// Finds out why a call ended before its answer. The library reports "cancelled" in every case, also for a message that it does not take.
import { Fault } from "../../src/base/errors.js";
import type { ServiceConnection } from "../service-calls/connections.js";

/** Undefined: the client left the call, or was told by the library that its message is not taken. */
export type CallEnd = Fault | undefined;

/**
 * Slack of a deadline: a client resets a call at the deadline of its own clock, which may come a little early here. A reset counts as the deadline if
 * it comes within the last second, or, of a call shorter than two seconds, in its second half.
 */
const DEADLINE_SLACK_MS = 1000;

/**
 * Called when the call begins. The result, called at its end, tells why it ended after a delay in which a broken connection becomes known: resets and
 * the end of their connection come together.
 */
export function watchCallEnd(
  call: { readonly getDeadline: () => Date | number },
  { peer, isConnected }: Pick<ServiceConnection, "peer" | "isConnected">,
): (tell: (end: CallEnd) => void) => void {
  // The library's deadline is a time of the clock on the wall, which may be set while the call runs.
  const leftMs = Number(call.getDeadline()) - Date.now();
  const resetsFrom = performance.now() + leftMs - Math.min(DEADLINE_SLACK_MS, leftMs / 2);
  return (tell) => {
    if (performance.now() >= resetsFrom) {
      tell(new Fault("timed_out", "The call's deadline has passed. Call again, with a later deadline or none."));
      return;
    }
    // The end of a connection is read in the turn of its last frames, and reported one or two turns later.
    setImmediate(() => setImmediate(() => tell(isConnected() ? undefined : connectionLost(peer.label))));
  };
}

function connectionLost(label: string): Fault {
  return new Fault("peer_gone", `The connection to ${label} has ended. Connect again to go on.`);
}
