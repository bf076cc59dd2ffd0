// The one error class. This file has the closed set of codes and the class that carries one. Status
// numbers do not live here: each transport and protocol keeps an exhaustive table of its own.

/** Every code a fault can carry, each with the meaning a program may rely on (R20). Adding one does not compile until each table maps it. */
export const FAULT_CODES = [
  // What the peer sent cannot be read or is not allowed by a schema.
  "invalid_json",
  "invalid_message",
  "invalid_event",
  "invalid_params",
  "message_too_large",
  "framing_lost",
  "unknown_method",
  "unknown_type",
  // What the peer sent breaks the order of events (AAEP §4.5, R3).
  "session_not_started",
  "session_already_started",
  "session_ended",
  "session_incomplete",
  "session_not_yours",
  "tool_not_invoked",
  "tool_already_invoked",
  "output_already_complete",
  "position_mismatch",
  "sequence_mismatch",
  "state_mismatch",
  "timestamp_out_of_order",
  "timestamp_skewed",
  "confirmation_required",
  "urgency_not_allowed",
  "default_not_allowed",
  "reply_token_reused",
  "already_asked",
  "event_id_reused",
  "producer_missing",
  // Subscriptions and their terms.
  "handshake_required",
  "unknown_subscription",
  "capabilities_incompatible",
  "version_unsupported",
  "signature_required",
  "rate_limit",
  "lagging",
  // Everything else.
  "not_found",
  "permission_denied",
  "unauthenticated",
  "address_in_use",
  "address_invalid",
  "peer_gone",
  "timed_out",
  "cancelled",
  "storage_unavailable",
  "shutting_down",
  "unsupported",
  "usage",
  "internal",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

export interface FaultDetail {
  /** JSON pointer of the field at fault, from the root of the event or message ("" is the whole). */
  readonly pointer?: string | undefined;
  /** Whether the sentence tells of several places, each in its own words; `pointer` and `rule` are those of the first. Default false. */
  readonly tellsSeveral?: boolean;
  /** The rule that was broken: a paragraph or a ruling, as in "AAEP §4.5.4" or "R3a". */
  readonly rule?: string | undefined;
  /** Whose mistake it was. Default "peer". */
  readonly origin?: "local" | "peer";
  /** The event at fault, where it had a readable id. */
  readonly eventId?: string | undefined;
  /** How long to wait before trying again, seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** What was caught. For logs only; never sent. */
  readonly cause?: unknown;
}

/** Faults quote what the peer sent; whatever that was, an answer stays short, and so does a line of the log. UTF-16 units. */
const LONGEST_SENTENCE = 4000;
const LONGEST_POINTER = 1024;
const LONGEST_EVENT_ID = 256;

function bounded(sentence: string): string {
  if (sentence.length <= LONGEST_SENTENCE) return sentence;
  const last = sentence.charCodeAt(LONGEST_SENTENCE - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${sentence.slice(0, LONGEST_SENTENCE - (isHalf ? 2 : 1))}…`;
}

/** The nearest place around it that can be named. */
function boundedPointer(pointer: string): string {
  return pointer.length <= LONGEST_POINTER ? pointer : pointer.slice(0, pointer.lastIndexOf("/", LONGEST_POINTER));
}

/** A fault with a stable code and a sentence that says what to do about it (R20). */
export class Fault extends Error {
  readonly code: FaultCode;
  /** The sentence alone; `message` puts the code in front of it, because logs often show nothing else. */
  readonly sentence: string;
  readonly pointer: string | undefined;
  readonly tellsSeveral: boolean;
  readonly rule: string | undefined;
  readonly origin: "local" | "peer";
  readonly eventId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FaultCode, sentence: string, detail: FaultDetail = {}) {
    super(`[${code}] ${bounded(sentence)}`, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "Fault";
    this.code = code;
    this.sentence = bounded(sentence);
    this.pointer = detail.pointer === undefined ? undefined : boundedPointer(detail.pointer);
    this.tellsSeveral = detail.tellsSeveral ?? false;
    this.rule = detail.rule;
    this.origin = detail.origin ?? "peer";
    this.eventId = (detail.eventId?.length ?? 0) > LONGEST_EVENT_ID ? undefined : detail.eventId;
    this.retryAfterSeconds = detail.retryAfterSeconds;
  }

  /** The same fault with some details told anew, as where it is told of another place: nothing else of it is lost. */
  with(detail: FaultDetail): Fault {
    const { pointer, tellsSeveral, rule, origin, eventId, retryAfterSeconds, cause } = this;
    const known = { pointer, tellsSeveral, rule, origin, eventId, retryAfterSeconds, cause };
    return new Fault(this.code, this.sentence, { ...known, ...detail });
  }
}

/** Turns anything caught into a Fault, keeping the original as its cause. */
export function faultFrom(caught: unknown): Fault {
  if (caught instanceof Fault) return caught;
  const sentence = caught instanceof Error ? caught.message : String(caught);
  return new Fault("internal", sentence, { origin: "local", cause: caught });
}

/**
 * What a peer may be told of anything caught: a Fault as it is, of an accident only that there was one (R20). What it was stands in the log.
 */
export function publicFault(
  caught: unknown,
  log: { readonly error: (fields: Readonly<Record<string, unknown>>, message: string) => void },
): Fault {
  const fault = faultFrom(caught);
  if (fault.code !== "internal") return fault;
  log.error({ err: fault.cause ?? caught }, "a message could not be served, because of an error in the daemon");
  const sentence = "Something went wrong in the daemon, and stands in its log. Try again, or report it.";
  return new Fault("internal", sentence, { origin: "local", cause: caught });
}
