// Finds out why a call ended before its answer. The library reports "cancelled" in every case, also for a message that it does not take.
import { Fault } from "../../src/base/errors.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { deadlinePassed, deadlineSlack, onceEndIsKnown } from "../service-calls/deadline.js";

/** Undefined: the client left the call, or was told by the library that its message is not taken. */
export type CallEnd = Fault | undefined;

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
  const resetsFrom = performance.now() + leftMs - deadlineSlack(leftMs);
  return (tell) => {
    if (performance.now() >= resetsFrom) tell(deadlinePassed());
    else onceEndIsKnown(() => tell(isConnected() ? undefined : connectionLost(peer.label)));
  };
}

function connectionLost(label: string): Fault {
  return new Fault("peer_gone", `The connection to ${label} has ended. Connect again to go on.`);
}
