// Why a subscription is interrupted, whether another attempt is of use, and what callers are told.
import type { SubscriptionRejected } from "#gen/aaep/types.js";
import { Fault, type FaultCode } from "../../base/errors.js";
import { ownMember, textOf } from "../../base/members.js";
import { isHopeless } from "../timers.js";
import type { Interruption, ListenerConnection, SubscriberEnd } from "./types.js";

/** The longest `retry_after_seconds` (AAEP §5.5). */
const LONGEST_RETRY_SECONDS = 86_400;

/** The shortest wait before the next attempt, ms; undefined if another attempt is of no use. */
export function retryDelayMs(because: Interruption): number | undefined {
  switch (because.kind) {
    case "closed":
      // Nothing more follows, however often the listener asks.
      return because.close.reason_code === "recording_ended" ? undefined : 0;
    case "fault": {
      const { code, retryAfterSeconds } = because.fault;
      // The next attempt would show the same credentials.
      return boundedMs(retryAfterSeconds, !isHopeless(because.fault) && code !== "unauthenticated");
    }
    case "rejected": {
      const { reason_code: reason, retry_after_seconds: seconds } = because.rejected;
      // A producer that is stopping may be back in a moment.
      return boundedMs(seconds, reason === "rate_limit" || reason === "transport_unavailable");
    }
  }
}

/** A producer may send anything, and of some objects no number can be made; a timer of the platform takes one beyond its range as none. */
function boundedMs(seconds: number | undefined, isOfUse: boolean): number | undefined {
  if (seconds === undefined) return isOfUse ? 0 : undefined;
  return Math.min(Math.max(typeof seconds === "object" ? 0 : Number(seconds) || 0, 0), LONGEST_RETRY_SECONDS) * 1000;
}

/** Every other reason, such as one of a later version of AAEP, is "unsupported". */
const CODES: Readonly<Record<Exclude<SubscriptionRejected["reason_code"], "unknown">, FaultCode>> = {
  version_unsupported: "version_unsupported",
  manifest_signature_required: "signature_required",
  capabilities_incompatible: "capabilities_incompatible",
  rate_limit: "rate_limit",
  authentication_required: "unauthenticated",
  authorization_denied: "permission_denied",
  transport_unavailable: "shutting_down",
};

/** The fault in an end for good, for the author of the listener; undefined if the daemon closed in order, as at the end of a recording. */
export function endFault(because: SubscriberEnd["because"]): Fault | undefined {
  if (because.kind === "fault") return because.fault;
  if (because.kind !== "rejected") return undefined;
  const { reason_code: reason, reason_message: sentence, retry_after_seconds: retryAfterSeconds } = because.rejected;
  // A producer may leave its sentence out.
  return new Fault(ownMember<FaultCode>(CODES, reason) ?? "unsupported", textOf(sentence) || textOf(reason), {
    retryAfterSeconds,
  });
}

/** Why a call is not answered. Of origin "local", unless the producer refused what was asked for. */
export function lossFault(end: Interruption, connection: ListenerConnection): Fault {
  if (end.kind === "rejected")
    return new Fault(
      "capabilities_incompatible",
      textOf(end.rejected.reason_message) || textOf(end.rejected.reason_code),
    );
  return (end.kind === "fault" ? end.fault : goneFault(connection)).with({ origin: "local" });
}

export function goneFault({ peer }: ListenerConnection): Fault {
  return new Fault("peer_gone", `The daemon at ${peer.label.replace(/^(?:unix|pipe):/, "")} has ended the connection.`);
}

export function notSubscribed(): Fault {
  const sentence = "There is no subscription at the moment. Try again when one is active.";
  return new Fault("unknown_subscription", sentence, { origin: "local" });
}

export function closedHere(): Fault {
  return new Fault("cancelled", "The subscriber was closed.", { origin: "local" });
}

/** Whether the connection was lost before the answer, which is no refusal of the daemon's. */
export function isLoss(caught: unknown): boolean {
  return caught instanceof Fault && caught.origin === "local";
}
