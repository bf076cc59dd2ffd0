// Reads the messages that a subscriber receives on a plain connection. Knows no connection and no state.
import type {
  AaepdError,
  Envelope,
  SubscriptionAccepted,
  SubscriptionClose,
  SubscriptionRejected,
} from "#gen/aaep/types.js";
import { Fault, type FaultCode } from "../base/errors.js";

export type Incoming =
  | { readonly kind: "event"; readonly event: Envelope }
  | { readonly kind: "accepted"; readonly accepted: SubscriptionAccepted }
  | { readonly kind: "rejected"; readonly rejected: SubscriptionRejected }
  | { readonly kind: "close"; readonly close: SubscriptionClose }
  | { readonly kind: "error"; readonly error: AaepdError }
  /** A page of the open questions: the answer to `aaepd.list_pending` (R28). */
  | { readonly kind: "pending"; readonly questions: readonly Envelope[]; readonly next: string | undefined }
  /** A reply of this subscription did not count (R19). */
  | { readonly kind: "reply not taken"; readonly replyToken: string }
  /** The place that everything before this message leads to (R17). */
  | { readonly kind: "checkpoint"; readonly cursor: string }
  /** A message of a kind unknown to this version. */
  | { readonly kind: "other"; readonly message: Readonly<Record<string, unknown>> };

/** Reads one frame. Throws a Fault "invalid_json" or "invalid_message": the peer is no AAEP producer. */
export function readIncoming(frame: Uint8Array): Incoming {
  const message = parseObject(frame);
  const { type } = message;
  if (typeof type !== "string") throw notAaep("has no type");
  switch (type) {
    case "subscription.accepted":
      requireText(message, "subscription_id");
      requireObject(message, "honored_capabilities");
      return { kind: "accepted", accepted: message as unknown as SubscriptionAccepted };
    case "subscription.rejected":
      requireText(message, "reason_code");
      return { kind: "rejected", rejected: message as unknown as SubscriptionRejected };
    case "subscription.close":
      return { kind: "close", close: message as unknown as SubscriptionClose };
    case "aaepd.pending":
      if (!Array.isArray(message.questions)) throw notAaep("has no questions");
      return { kind: "pending", questions: message.questions, next: optionalText(message.next) };
    case "aaepd.reply_not_taken":
      requireText(message, "reply_token");
      return { kind: "reply not taken", replyToken: String(message.reply_token) };
    case "aaepd.checkpoint":
      requireText(message, "cursor");
      return { kind: "checkpoint", cursor: String(message.cursor) };
    case "aaepd.error":
      return { kind: "error", error: message as unknown as AaepdError };
  }
  // Messages of a producer are read leniently: new fields and types are no reason to stop listening (AAEP ch. 12).
  if (typeof message.event_id === "string" && typeof message.session_id === "string") {
    return { kind: "event", event: message as unknown as Envelope };
  }
  return { kind: "other", message };
}

type Fields = Readonly<Record<string, unknown>>;

/** The object that a frame holds. Throws as `readIncoming` does. */
export function parseObject(frame: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(frame));
  } catch (caught) {
    throw new Fault("invalid_json", "What came is not JSON. Check that the address is that of an AAEP producer.", {
      cause: caught,
    });
  }
  if (!isObject(value)) throw notAaep("is no object");
  return value;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function requireText(message: Fields, field: string): void {
  if (typeof message[field] !== "string") throw notAaep(`has no ${field}`);
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function requireObject(message: Fields, field: string): void {
  if (!isObject(message[field])) throw notAaep(`has no ${field}`);
}

function notAaep(what: string): Fault {
  return new Fault("invalid_message", `A message ${what}. Check that the address is that of an AAEP producer.`);
}

/** The fault in a daemon's error. A code that a later daemon has added stays as it is. */
export function faultFromError({ code, message, pointer, rule }: AaepdError): Fault {
  return new Fault(code as FaultCode, message, { pointer, rule });
}

/** Returns the cursor in the `aaepd` members of an acceptance or a close; undefined if there is none (R17). */
export function cursorIn(members: unknown): string | undefined {
  const cursor = typeof members === "object" && members !== null && "cursor" in members ? members.cursor : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}

export function encodeMessage(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
