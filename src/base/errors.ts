// The one error class: the closed set of codes, and the class that carries one code. Each transport and each protocol has an exhaustive table of
// its own from codes to status numbers.

/** Every code of a fault. The meaning of a code is stable, so programs may rely on it (R20). A new code does not compile until each table maps it. */
export const FAULT_CODES = [
  // The message cannot be read, or a schema forbids it.
  "invalid_json",
  "invalid_message",
  "invalid_event",
  "invalid_params",
  "message_too_large",
  "framing_lost",
  "unknown_method",
  "unknown_type",
  // The event breaks the order of events (AAEP §4.5, R3).
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
  /** Whether the sentence names several places, each in its own words; `pointer` and `rule` are those of the first. Default false. */
  readonly tellsSeveral?: boolean;
  /** The broken rule: a paragraph or a ruling, as in "AAEP §4.5.4" or "R3a". */
  readonly rule?: string | undefined;
  /** The side that made the mistake. Default "peer". */
  readonly origin?: "local" | "peer";
  /** The event at fault, if its id was readable. An empty or very long one is left out. */
  readonly eventId?: string | undefined;
  /** Seconds to wait before the next attempt. */
  readonly retryAfterSeconds?: number | undefined;
  /** The error that was caught. For logs only; never sent. */
  readonly cause?: unknown;
}

/** Limits in UTF-16 units. A fault quotes the peer's message, and the limits keep the answer and the line of the log short whatever the peer sent. */
const LONGEST_SENTENCE = 4000;
const LONGEST_POINTER = 1024;
const LONGEST_EVENT_ID = 256;

function bounded(sentence: string): string {
  if (sentence.length <= LONGEST_SENTENCE) return sentence;
  const last = sentence.charCodeAt(LONGEST_SENTENCE - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${sentence.slice(0, LONGEST_SENTENCE - (isHalf ? 2 : 1))}…`;
}

/** Shortens a pointer to the nearest enclosing place that fits the limit. */
function boundedPointer(pointer: string): string {
  return pointer.length <= LONGEST_POINTER ? pointer : pointer.slice(0, pointer.lastIndexOf("/", LONGEST_POINTER));
}

/** A fault with a stable code and a sentence that tells the reader what to do (R20). */
export class Fault extends Error {
  readonly code: FaultCode;
  /** The sentence alone. `message` puts the code in front of the sentence, because logs often show nothing but `message`. */
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
    const { length = 0 } = detail.eventId ?? "";
    this.eventId = length > 0 && length <= LONGEST_EVENT_ID ? detail.eventId : undefined;
    this.retryAfterSeconds = detail.retryAfterSeconds;
  }

  /** Copies the fault with some details replaced, for example the pointer of another place. All other details stay. */
  with(detail: FaultDetail): Fault {
    // The cause of an error is not among its enumerable members.
    return new Fault(this.code, this.sentence, { ...this, cause: this.cause, ...detail });
  }
}

/** A mistake on this side, in a call, an option, a file or a variable. */
export function usage(sentence: string, cause?: unknown): Fault {
  return new Fault("usage", sentence, { origin: "local", cause });
}

/** Turns any caught value into a Fault and keeps the original as its cause. */
export function faultFrom(caught: unknown): Fault {
  if (caught instanceof Fault) return caught;
  const sentence = caught instanceof Error ? caught.message : String(caught);
  return new Fault("internal", sentence, { origin: "local", cause: caught });
}

const FILES = "This process or its system may open no more files: fewer connections or a higher limit help.";
const DISK = "The disk is full, or the quota of this user is used up: room on it helps.";
const MEMORY = "The system has no memory left: fewer programs help.";

/** Sentences about a lack of the system, by its own codes: each says what is missing and what helps. */
const LACKS: Readonly<Record<string, string>> = {
  EMFILE: FILES,
  ENFILE: FILES,
  ENOSPC: DISK,
  EDQUOT: DISK,
  ENOMEM: MEMORY,
  ENOBUFS: MEMORY,
};

/** The sentence of an error by which the system says that it lacks something for the moment; undefined for any other value. */
export function systemLack(caught: unknown): string | undefined {
  if (!(caught instanceof Error) || !("code" in caught) || typeof caught.code !== "string") return undefined;
  return Object.hasOwn(LACKS, caught.code) ? LACKS[caught.code] : undefined;
}

/**
 * Makes the fault that a peer may see: a Fault is passed on as it is. An error by which the system lacks something becomes "storage_unavailable", any
 * other a general "internal" fault (R20), and its details go to the log.
 */
export function publicFault(
  caught: unknown,
  log: { readonly error: (fields: Readonly<Record<string, unknown>>, message: string) => void },
): Fault {
  const fault = faultFrom(caught);
  if (fault.code !== "internal") return fault;
  log.error({ err: fault.cause ?? caught }, "a message could not be served, because of an error in the daemon");
  const lack = systemLack(fault.cause ?? caught);
  if (lack !== undefined) return new Fault("storage_unavailable", lack, { origin: "local", cause: caught });
  const sentence = "Something went wrong in the daemon, and stands in its log. Try again, or report it.";
  return new Fault("internal", sentence, { origin: "local", cause: caught });
}
