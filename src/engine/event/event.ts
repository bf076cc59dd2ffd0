// Events in the engine: the fields that it reads, the topic that it routes by, and the journal's entry. Bytes and schemas are outside, and nothing
// here belongs to one subscription.
import type { Millis } from "../../contracts/clock.js";
import { AGENT_TYPE, CORE_PREFIX, CORE_TYPE_URI } from "./vocabulary.js";

/** A position in the journal. It grows, is never reused, and stays below 2^53 (R29). */
export type Epoch = number;

export type Urgency = "background" | "normal" | "critical";
export type Verbosity = "terse" | "normal" | "detailed";

export interface Producer {
  readonly agent_id: string;
  readonly agent_version?: string;
  readonly agent_name?: string;
  readonly model?: string;
  readonly manifest_uri?: string;
}

export interface LocalizationHints {
  readonly primary_language: string;
  readonly text_direction?: "ltr" | "rtl" | "auto";
  readonly available_languages?: readonly string[];
  readonly fallback_chain?: readonly string[];
  readonly script?: string;
  readonly calendar?: string;
}

/** A complete event in its wire form (AAEP §3.2). Payload fields are read by name. */
export interface AgentEvent {
  readonly "@context": string | readonly string[];
  readonly type: string;
  readonly event_id: string;
  readonly session_id: string;
  readonly timestamp: string;
  readonly producer: Producer;
  readonly urgency?: Urgency;
  readonly verbosity?: Verbosity;
  readonly localization_hints?: LocalizationHints;
  readonly correlation_id?: string;
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [field: string]: unknown;
}

const CORE_KINDS = [
  "session.started",
  "session.completed",
  "session.errored",
  "session.cancelled",
  "state.changed",
  "progress.updated",
  "tool.invoked",
  "tool.completed",
  "output.streaming",
  "awaiting.confirmation",
  "awaiting.clarification",
  "handoff.requested",
] as const;

/** The twelve core types; every other type passes through untouched as "extension" (AAEP §7). */
export type TopicKind = (typeof CORE_KINDS)[number] | "extension";

const KINDS: ReadonlyMap<string, TopicKind> = new Map(CORE_KINDS.map((kind) => [`${AGENT_TYPE}${kind}`, kind]));

/** The short form of an event type; the full URI of a core type names the same type (AAEP §3.2.2). */
export function canonicalType(type: string): string {
  return type.startsWith(CORE_TYPE_URI) ? CORE_PREFIX + type.slice(CORE_TYPE_URI.length) : type;
}

/** The topic of an event, by its type alone; "extension" for what is no text. */
export function topicKind(type: unknown): TopicKind {
  if (typeof type !== "string") return "extension";
  return KINDS.get(type) ?? KINDS.get(canonicalType(type)) ?? "extension";
}

/** The topics that require urgency "critical" (R4). */
const CRITICAL_KINDS: ReadonlySet<TopicKind> = new Set([
  "session.errored",
  "awaiting.confirmation",
  "awaiting.clarification",
  "handoff.requested",
]);

/** The kinds of questions to a person. */
export type QuestionKind = "confirmation" | "clarification";

/** The kind of question that the topic is; undefined for other topics. */
export function questionKind(kind: TopicKind): QuestionKind | undefined {
  if (kind === "awaiting.confirmation") return "confirmation";
  return kind === "awaiting.clarification" ? "clarification" : undefined;
}

/** Whether the topic is a question to a person. */
export function isQuestionKind(kind: TopicKind): boolean {
  return questionKind(kind) !== undefined;
}

/** Whether the topic ends its session. */
export function isTerminalKind(kind: TopicKind): boolean {
  return kind === "session.completed" || kind === "session.errored" || kind === "session.cancelled";
}

/** The urgency of an event whose agent names none (AAEP §3.3.2, R2). */
export function defaultUrgency(kind: TopicKind): Urgency {
  if (CRITICAL_KINDS.has(kind)) return "critical";
  return kind === "progress.updated" ? "background" : "normal";
}

/** An accepted event before the journal gives it its epoch. */
export interface NewEvent {
  readonly event: AgentEvent;
  readonly kind: TopicKind;
  /** The JSON text of exactly this event; byte-identical to the agent's if nothing had to be changed (R2). Undefined if no text has been made yet. */
  readonly source: string | undefined;
  /**
   * 128 bits of the SHA-256 of the JSON text that the agent sent, in hex, if `source` differs from that in more than the language: duplicates are
   * compared with it (R3). Only if the agent gave an id.
   */
  readonly sent?: string | undefined;
  /** The instant at which the daemon received the event. */
  readonly at: Millis;
  /** Number of the event in its session, from 1. */
  readonly ordinal: number;
  /** Why the daemon made the event; undefined for an agent's. R31 says which filters it passes. */
  readonly made: DaemonMade | undefined;
}

/**
 * Why the daemon made an event. "supplied": the `awaiting_input` that an agent left out, for subscriptions that get its question next (R6). "notice":
 * the same for all others, with the question in its text (R6). "resolution": the outcome of a question (R6). "closing": an ordinary event in an
 * agent's place (R3a, R8). "state": a summary or a gap for one subscription. "reminder": a reminder of an open question (AAEP §6.4.3).
 */
export type DaemonMade = "supplied" | "notice" | "resolution" | "closing" | "state" | "reminder";

export interface JournaledEvent extends NewEvent {
  readonly epoch: Epoch;
}

/** A selection of journal entries; every member given has to match. */
export interface JournalSelection {
  readonly sessionId: string;
  readonly kind?: TopicKind;
  /** Text of this output; the unnamed output has the empty id. */
  readonly outputId?: string;
}

/** Whether an entry matches a selection. `outputId` is undefined for all events except chunks. */
export function isSelected(
  place: { readonly sessionId: string; readonly kind: TopicKind; readonly outputId: string | undefined },
  only: JournalSelection,
): boolean {
  return (
    place.sessionId === only.sessionId &&
    (only.kind === undefined || place.kind === only.kind) &&
    (only.outputId === undefined || place.outputId === only.outputId)
  );
}

export function isCritical(entry: Pick<NewEvent, "kind" | "event">): boolean {
  return entry.event.urgency === "critical" || CRITICAL_KINDS.has(entry.kind);
}

/** The key of an output's text; the session's unnamed output has the empty id. */
export function outputKey(event: AgentEvent): string {
  const id = event.output_id;
  return `${event.session_id}/${typeof id === "string" ? id : ""}`;
}

/** Position of a chunk in its output, in code points. */
export function positionIn({ position }: AgentEvent): number {
  return typeof position === "number" ? position : 0;
}
