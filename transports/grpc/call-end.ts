// Why a call ended before it was answered. The library says "cancelled" of everything.
import { Fault } from "../../src/base/errors.js";
import { STATUS } from "../rpc-status.js";
import { sentStatus } from "./library-internals.js";
import type { KnownPeer } from "./peers.js";

export type CallEnd =
  /** The client took the call back. */
  { readonly kind: "cancelled" } | { readonly kind: "ended"; readonly fault: Fault };

interface Call {
  readonly getDeadline: () => Date | number;
}

/**
 * A client resets a call at its deadline by its own clock, which may be a little before the call's deadline here. So a reset counts as the deadline's
 * in the last second, or of shorter calls in the second half.
 */
const DEADLINE_SLACK_MS = 1000;

export interface CallEndWatch {
  /** Tells why the call ended, once its connection had the time to be known as broken: resets and the end of their connection come together. */
  readonly whyEnded: (tell: (end: CallEnd) => void) => void;
}

/** To be made when the call begins. */
export function watchCallEnd(call: Call, peer: KnownPeer): CallEndWatch {
  const deadline = Number(call.getDeadline());
  const slack = Math.min(DEADLINE_SLACK_MS, (deadline - Date.now()) / 2);
  return {
    whyEnded: (tell) => {
      const byLibrary = endedByLibrary(call);
      if (byLibrary !== undefined) tell({ kind: "ended", fault: byLibrary });
      else if (Date.now() >= deadline - slack) tell({ kind: "ended", fault: deadlinePassed() });
      else {
        // The end of a connection is read in the turn of its last frames, and told in the next one or the one after.
        setImmediate(() =>
          setImmediate(() =>
            tell(
              peer.isConnected()
                ? { kind: "cancelled" }
                : { kind: "ended", fault: connectionLost(peer.identity.label) },
            ),
          ),
        );
      }
    },
  };
}

function endedByLibrary(call: Call): Fault | undefined {
  const status = sentStatus(call);
  switch (status?.code) {
    case undefined:
      return undefined;
    case STATUS.DEADLINE_EXCEEDED:
      return deadlinePassed();
    case STATUS.RESOURCE_EXHAUSTED:
      return new Fault("message_too_large", `${status?.message}. Send less in one message.`);
    default:
      return new Fault("invalid_message", `${status?.message}. Send messages as the service describes them.`);
  }
}

function deadlinePassed(): Fault {
  return new Fault("timed_out", "The call's deadline has passed. Call again, with a later deadline or none.");
}

function connectionLost(label: string): Fault {
  return new Fault("peer_gone", `The connection to ${label} has ended. Connect again to go on.`);
}
