// Messages that answer a subscriber: rejections and errors, in the words of the wire (R20, R33), and the daemon's own members in an acceptance and a
// close (R18, R19). A member that is undefined is not there on the wire.
import type { Fault } from "../../../base/errors.js";
import { ruleOf } from "../../../base/fault-rules.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { Subscription } from "../../../engine/subscriptions/subscription.js";
import type { SlowLimits } from "../../../engine/subscriptions/subscription-spec.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Message } from "../json/message.js";

/** The rejection of a request that is at fault, or that cannot be served now (R33). */
export function rejectionOfFault(fault: Fault): Message {
  // A sentence about several places names each of them itself.
  const isPlain = fault.pointer === undefined || fault.pointer === "" || fault.tellsSeveral;
  const where = isPlain ? "" : ` (${fault.pointer})`;
  return {
    type: "subscription.rejected",
    reason_code: reasonCodeOf(fault),
    reason_message: shortenedText(`${fault.sentence}${where}`, 4096),
    retry_after_seconds: fault.retryAfterSeconds,
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
    event_id: fault.eventId,
    retry_after_seconds: fault.retryAfterSeconds,
    // A longer type is left out; no known message has one.
    answers: answered === "" || (answered?.length ?? 0) > 256 ? undefined : answered,
  };
}

/** Limits of the lag and the queue of a subscription. */
export function limitsDocument({ lag, queueLimitCount }: SlowLimits): Message {
  return {
    queue_events: queueLimitCount,
    // Events beyond the queue are not lost: they are read from the journal, at the subscriber's own pace.
    policy: "journal",
    max_lag_seconds: lag.maxMs / 1000,
    max_lag_events: lag.maxEvents,
  };
}

/** The place that the subscriber has reached, for every reason; after a lag also the limits and the lag. Empty if there is nothing to report. */
export function closingMembers(reason: EndReason, engine: Subscription, limits: SlowLimits): Message {
  const cursor = engine.cursor();
  if (reason !== "lagging") return cursor === undefined ? {} : { extensions: { aaepd: { cursor } } };
  const { ms, eventCount } = engine.status().lag;
  const lag = { seconds: ms / 1000, events: eventCount };
  return { extensions: { aaepd: { cursor, lag, limits: limitsDocument(limits) } } };
}
