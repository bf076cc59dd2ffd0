// Why a daemon cannot be subscribed to, as an error for the author of the listener.
import type { SubscriptionRejected } from "#gen/aaep/types.js";
import { Fault, type FaultCode } from "../../base/errors.js";
import { ownMember } from "../../base/members.js";
import type { SubscriberEnd } from "../subscriber-states.js";

const CODES: Readonly<Record<SubscriptionRejected["reason_code"], FaultCode>> = {
  version_unsupported: "version_unsupported",
  manifest_signature_required: "signature_required",
  capabilities_incompatible: "capabilities_incompatible",
  rate_limit: "rate_limit",
  authentication_required: "unauthenticated",
  authorization_denied: "permission_denied",
  transport_unavailable: "shutting_down",
  unknown: "unsupported",
};

/** The fault in an end for good; undefined if the daemon closed in order, as at the end of a recording. */
export function endFault(because: SubscriberEnd["because"]): Fault | undefined {
  switch (because.kind) {
    case "fault":
      return because.fault;
    case "rejected": {
      const {
        reason_code: reason,
        reason_message: sentence,
        retry_after_seconds: retryAfterSeconds,
      } = because.rejected;
      // A later version of AAEP may have further reasons.
      const code = ownMember<FaultCode>(CODES, reason) ?? "unsupported";
      return new Fault(code, sentence, { retryAfterSeconds });
    }
    case "asked":
    case "closed":
      return undefined;
  }
}
