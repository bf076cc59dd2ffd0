// Finds out why a call ended before its answer. The library reports "cancelled" in every case.
import { Fault } from "../../src/base/errors.js";
import { STATUS } from "../rpc-status.js";
import { sentStatus } from "./library-internals.js";
import type { KnownPeer } from "./peers.js";

export type CallEnd =
  /** The client cancelled the call. */
  { readonly kind: "cancelled" } | { readonly kind: "ended"; readonly fault: Fault };

interface Call {
  readonly getDeadline: () => Date | number;
}

/**
 * Slack of a deadline: a client resets a call at the deadline of its own clock, which may come a little early here. A reset counts as the deadline if
 * it comes within the last second, or, of a call shorter than two seconds, in its second half.
 */
const DEADLINE_SLACK_MS = 1000;

export interface CallEndWatch {
  /** Reports why the call ended, after a delay in which a broken connection becomes known: resets and the end of their connection come together. */
  readonly whyEnded: (tell: (end: CallEnd) => void) => void;
}

/** Called when the call begins. */
export function watchCallEnd(call: Call, peer: KnownPeer): CallEndWatch {
  // The library's deadline is a time of the clock on the wall, which may be set while the call runs.
  const leftMs = Number(call.getDeadline()) - Date.now();
  const resetsFrom = performance.now() + leftMs - Math.min(DEADLINE_SLACK_MS, leftMs / 2);
  return {
    whyEnded: (tell) => {
      const byLibrary = endedByLibrary(call);
      if (byLibrary !== undefined) tell({ kind: "ended", fault: byLibrary });
      else if (performance.now() >= resetsFrom) tell({ kind: "ended", fault: deadlinePassed() });
      else {
        // The end of a connection is read in the turn of its last frames, and reported one or two turns later.
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
