// Messages of AAEP as mutants read and change them.

/** One JSON message. */
export type Message = Readonly<Record<string, unknown>>;
export type Change = (message: Message) => Message;

const CORE_CONTEXT = "https://aaep-protocol.org/context/v1";
const CORE_TYPES = "https://aaep-protocol.org/types/";
const CRITICAL_KINDS: readonly string[] = [
  "agent.session.errored",
  "agent.awaiting.confirmation",
  "agent.awaiting.clarification",
  "agent.handoff.requested",
];
export const CORE_KINDS: readonly string[] = [
  ...["agent.session.started", "agent.session.completed", "agent.session.cancelled", "agent.state.changed"],
  ...["agent.progress.updated", "agent.tool.invoked", "agent.tool.completed", "agent.output.streaming"],
  ...CRITICAL_KINDS,
];
export const CORE_CAPABILITIES: readonly string[] = [
  ...["max_events_per_second", "preferred_verbosity", "languages", "supports_confirmation_reply"],
  ...["supports_clarification_reply", "coalesce_boundaries", "event_filters", "supported_conformance_levels"],
  ...["supported_extensions", "cognitive_load", "pace_wpm", "accept_signed_manifests_only"],
];
export const DEFAULT_FILTERS: Message = { include: ["aaep:agent.*"], exclude: [] };
export const DEFAULT_BOUNDARIES: readonly string[] = ["sentence", "completion"];

export const isRecord = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const record = (value: unknown): Message => (isRecord(value) ? value : {});
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

export const isEvent = (message: Message): boolean => "event_id" in message && "session_id" in message;

/** `agent.tool.invoked` for either spelling of the core type, "" for everything that is no core event. */
export function kind(message: Message): string {
  const type = text(message.type);
  if (type.startsWith("aaep:")) return type.slice("aaep:".length);
  return type.startsWith(CORE_TYPES) ? type.slice(CORE_TYPES.length) : "";
}

export const isKind = (message: Message, ...kinds: readonly string[]): boolean => kinds.includes(kind(message));
export const isState = (message: Message): boolean => isKind(message, "agent.state.changed");
export const isChunk = (message: Message): boolean => isKind(message, "agent.output.streaming");
export const isConfirmation = (message: Message): boolean => isKind(message, "agent.awaiting.confirmation");
export const isQuestion = (message: Message): boolean => kind(message).startsWith("agent.awaiting.");
export const isStart = (message: Message): boolean => isKind(message, "agent.session.started");
export const isTerminal = (message: Message): boolean =>
  isKind(message, "agent.session.completed", "agent.session.errored", "agent.session.cancelled");
export const isCritical = (message: Message): boolean =>
  isEvent(message) && (message.urgency === "critical" || isKind(message, ...CRITICAL_KINDS));

export const isAccepted = (message: Message): boolean => message.type === "subscription.accepted";
export const isRejected = (message: Message): boolean => message.type === "subscription.rejected";
export const isRequest = (message: Message): boolean => message.type === "subscription.request";
export const isRenegotiation = (message: Message): boolean => message.type === "subscription.renegotiate";
export const isClose = (message: Message): boolean => message.type === "subscription.close";
export const isConfirmationReply = (message: Message): boolean => message.type === "confirmation.reply";
export const isClarificationReply = (message: Message): boolean => message.type === "clarification.reply";
export const isReply = (message: Message): boolean => isConfirmationReply(message) || isClarificationReply(message);

export const session = (event: Message): string => text(event.session_id);
export const token = (message: Message): string => text(message.reply_token);

export const position = (event: Message): number => (typeof event.position === "number" ? event.position : 0);
export const codePoints = (value: unknown): readonly string[] => [...text(value)];
const endOf = (event: Message): number => position(event) + codePoints(event.chunk).length;
export const emptied = (event: Message): Message => ({ ...event, chunk: "", position: endOf(event) });
export const leavesQuestion = (event: Message): boolean => isState(event) && event.from_state === "awaiting_input";
export const isIrreversible = (question: Message): boolean =>
  question.irreversible === true || question.reversibility === "irreversible";

export const deadline = (question: Message): number =>
  Date.parse(text(question.timestamp)) + Number(question.timeout_seconds) * 1000;

export const without = (message: Message, ...fields: readonly string[]): Message =>
  Object.fromEntries(Object.entries(message).filter(([field]) => !fields.includes(field)));

/** Terms with those that a renegotiation names. */
export function merged(old: Message, given: Message): Message {
  const filters = { ...record(old.event_filters), ...record(given.event_filters) };
  return { ...old, ...given, ...(Object.keys(filters).length > 0 ? { event_filters: filters } : {}) };
}

/** RFC 3339 as AAEP §3.2.5 has it. */
const DATED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{3}|\d{6}))?(?:Z|[+-]\d\d:\d\d)$/;

export const isDated = ({ timestamp }: Message): boolean => typeof timestamp === "string" && DATED.test(timestamp);
export const dated = (reply: Message): Message => ({ ...reply, timestamp: now() });

export const choiceValues = (question: Message): readonly string[] =>
  Array.isArray(question.choices) ? question.choices.map((choice) => text(record(choice).value)) : [];

export const now = (): string => new Date().toISOString();
export const freshHex = (): string => crypto.randomUUID().replaceAll("-", "");
export const freshEventId = (): string => `evt_${freshHex()}`;

const notBefore = (timestamp: unknown): string =>
  new Date(Math.max(Date.now(), Date.parse(text(timestamp)) || 0)).toISOString();

/** An event that the producer never made, valid in itself, with the envelope of one that it did. */
export function invented(like: Message, type: string, payload: Message): Message {
  return {
    "@context": CORE_CONTEXT,
    type: `aaep:${type}`,
    event_id: freshEventId(),
    session_id: like.session_id,
    timestamp: notBefore(like.timestamp),
    producer: like.producer,
    urgency: "normal",
    localization_hints: like.localization_hints ?? { primary_language: "en" },
    ...payload,
  };
}

export const resolution = (question: Message, accepted: boolean): Message =>
  invented(question, "agent.state.changed", {
    from_state: "awaiting_input",
    to_state: accepted ? "calling_tool" : "thinking",
    summary_normal: accepted ? "The answer was yes; going on." : "The answer was no; reconsidering.",
  });

export const decisionReply = (question: Message, subscription: string, decision: string): Message => ({
  type: "confirmation.reply",
  reply_token: question.reply_token,
  decision,
  subscription_id: subscription,
  timestamp: now(),
});

export const rejection = (code: string, message: string): Message => ({
  type: "subscription.rejected",
  reason_code: code,
  reason_message: message,
});
