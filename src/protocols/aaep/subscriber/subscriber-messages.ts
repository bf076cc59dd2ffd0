// Messages that answer a subscriber: rejections and errors, in the words of the wire (R20, R33).
import type { Fault } from "../../../base/errors.js";
import { ruleOf } from "../../../base/fault-rules.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Message } from "../json/message.js";
import type { Rejected } from "./negotiate.js";

/** The rejection of a request whose capabilities cannot be met. */
export function rejection(rejected: Rejected): Message {
  return {
    type: "subscription.rejected",
    reason_code: rejected.reasonCode,
    reason_message: rejected.reasonMessage,
    ...(rejected.retryAfterSeconds === undefined ? {} : { retry_after_seconds: rejected.retryAfterSeconds }),
  };
}

/** The rejection of a request that is at fault, or that cannot be served now (R33). */
export function rejectionOfFault(fault: Fault): Message {
  // A sentence about several places names each of them itself.
  const isPlain = fault.pointer === undefined || fault.pointer === "" || fault.tellsSeveral;
  const where = isPlain ? "" : ` (${fault.pointer})`;
  return {
    type: "subscription.rejected",
    reason_code: reasonCodeOf(fault),
    reason_message: shortenedText(`${fault.sentence}${where}`, 4096),
    ...(fault.retryAfterSeconds === undefined ? {} : { retry_after_seconds: fault.retryAfterSeconds }),
  };
}

function reasonCodeOf({ code }: Fault): string {
  switch (code) {
    case "capabilities_incompatible":
    case "version_unsupported":
    case "rate_limit":
      return code;
    case "signature_required":
      return "manifest_signature_required";
    case "unauthenticated":
      return "authentication_required";
    case "permission_denied":
      return "authorization_denied";
    case "shutting_down":
      return "transport_unavailable";
    default:
      return "unknown";
  }
}

/**
 * An error as a message of the plain framings (R20, R33). Without a pointer it concerns the whole message. `answered`: the type of the message at
 * fault.
 */
export function errorMessage(fault: Fault, answered?: string): Message {
  return {
    type: "aaepd.error",
    code: fault.code,
    message: fault.sentence,
    pointer: fault.pointer ?? "",
    rule: ruleOf(fault),
    ...(fault.eventId === undefined ? {} : { event_id: fault.eventId }),
    ...(fault.retryAfterSeconds === undefined ? {} : { retry_after_seconds: fault.retryAfterSeconds }),
    // A longer type is left out; no known message has one.
    ...(answered === undefined || answered === "" || answered.length > 256 ? {} : { answers: answered }),
  };
}
