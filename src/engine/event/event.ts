// Events as the engine sees them: the fields it reads, the topic it routes by, and the journal's entry.
// What must not live here: bytes, schemas, anything of a subscription.
import type { Millis } from "../../contracts/clock.js";
import { AGENT_TYPE, CORE_PREFIX, CORE_TYPE_URI } from "./vocabulary.js";

/** A position in the journal. Grows, is never reused, and stays below 2^53 (R29). */
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

/** A complete event, as it stands on the wire (AAEP §3.2). The payload's fields are read by name where they are needed. */
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

/** The twelve core types, and everything else that passes through untouched (AAEP §7). */
export type TopicKind =
  | "session.started"
  | "session.completed"
  | "session.errored"
  | "session.cancelled"
  | "state.changed"
  | "progress.updated"
  | "tool.invoked"
  | "tool.completed"
  | "output.streaming"
  | "awaiting.confirmation"
  | "awaiting.clarification"
  | "handoff.requested"
  | "extension";

const KINDS: ReadonlyMap<string, TopicKind> = new Map(
  (
    [
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
    ] as const
  ).map((kind) => [`${AGENT_TYPE}${kind}`, kind]),
);

/** The short form of an event type: the full URI of a core type is the same type (AAEP §3.2.2). */
export function canonicalType(type: string): string {
  return type.startsWith(CORE_TYPE_URI) ? CORE_PREFIX + type.slice(CORE_TYPE_URI.length) : type;
}

/** What an event is about, by its type alone. */
export function topicKind(type: string): TopicKind {
  return KINDS.get(type) ?? KINDS.get(canonicalType(type)) ?? "extension";
}

/** Whether the topic's type demands urgency "critical" (R4). */
export function isCriticalKind(kind: TopicKind): boolean {
  return (
    kind === "session.errored" ||
    kind === "awaiting.confirmation" ||
    kind === "awaiting.clarification" ||
    kind === "handoff.requested"
  );
}

/** What is asked of a person. */
export type QuestionKind = "confirmation" | "clarification";

/** What the topic asks of a person, where it does. */
export function questionKind(kind: TopicKind): QuestionKind | undefined {
  switch (kind) {
    case "awaiting.confirmation":
      return "confirmation";
    case "awaiting.clarification":
      return "clarification";
    default:
      return undefined;
  }
}

/** Whether the topic is a question to a person. */
export function isQuestionKind(kind: TopicKind): boolean {
  return questionKind(kind) !== undefined;
}

/** Whether the topic ends its session. */
export function isTerminalKind(kind: TopicKind): boolean {
  return kind === "session.completed" || kind === "session.errored" || kind === "session.cancelled";
}

/** The urgency an event gets when its agent names none (AAEP §3.3.2, R2). */
export function defaultUrgency(kind: TopicKind): Urgency {
  if (isCriticalKind(kind)) return "critical";
  return kind === "progress.updated" ? "background" : "normal";
}

/** An accepted event before the journal gives it its epoch. */
export interface NewEvent {
  readonly event: AgentEvent;
  readonly kind: TopicKind;
  /**
   * The JSON text of exactly this event: byte-identical to what the agent sent where nothing had to be changed (R2). Undefined where nobody has
   * made it yet.
   */
  readonly source: string | undefined;
  /** The JSON text that the agent sent, where it is another: a repeat is compared with that (R3). Only where the agent named the event. */
  readonly published?: string | undefined;
  /** When the daemon received it. */
  readonly at: Millis;
  /** Counts the events of its session, from 1. */
  readonly ordinal: number;
  /** Made by the daemon: passes filters where R31 says so. */
  readonly made: DaemonMade | undefined;
}

/**
 * Why the daemon made an event: "supplied" (R6, the `awaiting_input` that an agent left out, to those that get its question next), "notice" (R6, the
 * same to all others, who are told what is asked), "resolution" (R6), "closing" (R3a, R8: an ordinary event made for the agent), "state" (of one
 * subscription alone: a sum, a gap), "reminder" (AAEP §6.4.3).
 */
export type DaemonMade = "supplied" | "notice" | "resolution" | "closing" | "state" | "reminder";

export interface JournaledEvent extends NewEvent {
  readonly epoch: Epoch;
}

/** What of the journal somebody looks for: all that is named has to agree. */
export interface JournalSelection {
  readonly sessionId: string;
  readonly kind?: TopicKind;
  /** Text of this output; the session's unnamed output has the empty id. */
  readonly outputId?: string;
}

/** Whether what stands at a place of the journal is among what is looked for. `outputId` is undefined of all but text. */
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

/** What is told of an event that the journal lets go of. */
export interface Evicted {
  readonly sessionId: string;
  readonly epoch: Epoch;
  readonly ordinal: number;
}

export function isCritical(entry: NewEvent): boolean {
  return entry.event.urgency === "critical" || isCriticalKind(entry.kind);
}
