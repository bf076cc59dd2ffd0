// Recognises calls that may cost so much that other peers come first: the sender's next message is then taken in a later turn of the event loop
// (R28). Otherwise up to 256 messages of one read would delay all other peers by the sum of their costs.
import { isTerminalKind, questionKind, type TopicKind, topicKind } from "../../../engine/event/event.js";

/**
 * Whether a call of JSON-RPC has a cost that grows with open or journaled state. `aaep.subscribe` and `aaep.renegotiate` shape the open questions
 * again, and `aaep.list_pending` writes all of them. A skip scans the held events, a repeat searches the journal, a resumed session is summarised,
 * and a status lists every peer. A publish that ends a session closes everything open in it (R3a); a question is announced and put to everybody who
 * can answer (R6).
 */
export function isCostlyCall(method: string, params: unknown): boolean {
  return method === "aaep.publish" ? eventsOf(params).some(isCostlyEvent) : COSTLY_METHODS.has(method);
}

/** The same for a message without an envelope, by its type. */
export function isCostlyType(type: string | undefined): boolean {
  return type !== undefined && COSTLY_TYPES.has(type);
}

const COSTLY_METHODS: ReadonlySet<string> = new Set([
  "aaep.subscribe",
  "aaep.renegotiate",
  "aaep.confirm",
  "aaep.clarify",
  "aaep.list_pending",
  "aaep.skip",
  "aaepd.skip",
  "aaep.repeat",
  "aaep.resume_session",
  "aaepd.status",
]);

const COSTLY_TYPES: ReadonlySet<string> = new Set([
  "subscription.request",
  "subscription.renegotiate",
  "aaepd.list_pending",
  "aaepd.skip",
  "aaepd.repeat",
]);

/** The events of a publish in any of its forms, as sent. */
function eventsOf(params: unknown): readonly unknown[] {
  if (Array.isArray(params)) return params;
  if (typeof params === "object" && params !== null && "events" in params && Array.isArray(params.events))
    return params.events;
  return [params];
}

function isCostlyEvent(event: unknown): boolean {
  const kind = kindOf(event);
  return kind !== undefined && (isTerminalKind(kind) || questionKind(kind) !== undefined);
}

/** Whether an event, as sent, asks the user something. */
export function isQuestion(event: unknown): boolean {
  const kind = kindOf(event);
  return kind !== undefined && questionKind(kind) !== undefined;
}

function kindOf(event: unknown): TopicKind | undefined {
  if (typeof event !== "object" || event === null || !("type" in event)) return undefined;
  return typeof event.type === "string" ? topicKind(event.type) : undefined;
}
