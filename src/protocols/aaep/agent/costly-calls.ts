// What of a peer's calls may cost so much that others come first: its next message is then taken in a later turn of the event loop (G2, R28).
// Up to 256 messages of one read would otherwise hold up everybody by the sum of them.
import { isTerminalKind, questionKind, type TopicKind, topicKind } from "../../../engine/event/event.js";

/**
 * In JSON-RPC: calls whose cost grows with what is open or journaled. Under `aaep.subscribe` and `aaep.renegotiate` the open questions are
 * shaped anew, and `aaep.list_pending` writes all of them; skipping looks through what is held; a repeat searches the journal; a session that is
 * resumed is summed up; a status looks at everybody; a publish that ends a session closes all that is still open in it (R3a), and a question is
 * announced and put to everybody who can answer (R6).
 */
export function isCostlyCall(method: string, params: unknown): boolean {
  return method === "aaep.publish" ? eventsOf(params).some(isCostlyEvent) : COSTLY_METHODS.has(method);
}

/** Without an envelope, by type: the same, of what can be said there. */
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

/** The events of a publish in any of its forms, as they were sent. */
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

/** Whether an event asks the user something, as it was sent. */
export function isQuestion(event: unknown): boolean {
  const kind = kindOf(event);
  return kind !== undefined && questionKind(kind) !== undefined;
}

function kindOf(event: unknown): TopicKind | undefined {
  if (typeof event !== "object" || event === null || !("type" in event)) return undefined;
  return typeof event.type === "string" ? topicKind(event.type) : undefined;
}
