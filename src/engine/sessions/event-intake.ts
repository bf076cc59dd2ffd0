// Takes an event in before its order is checked: completes it, makes its texts well-formed, validates it, and fills in its language (R2, R25).
import { Fault, faultFrom } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import { isObject, type Members } from "../../base/members.js";
import {
  type AgentEvent,
  defaultUrgency,
  type LocalizationHints,
  type Producer,
  type TopicKind,
  topicKind,
} from "../event/event.js";
import { ownMembersOf } from "../event/own-members.js";
import { formatTimestamp, parseTimestamp, type Timestamp } from "../event/timestamps.js";
import { AAEPD, CORE_VOCABULARY, SET_MANIFEST } from "../event/vocabulary.js";
import { hintsIn } from "../terms/language.js";
import { hasTexts } from "../terms/readable-fields.js";
import { isPlainSource, wellFormedFields } from "../text/well-formed.js";
import type { PublishedEvent } from "./published-event.js";
import { impliedResponseKinds } from "./response-kinds.js";
import type { OutputRecord, SessionRecord } from "./session-record.js";

/** Facts about the session that an event belongs to. */
export interface SessionFacts extends Pick<SessionRecord, "latestMicros" | "latestText" | "language"> {
  readonly outputs: ReadonlyMap<string, Pick<OutputRecord, "codePoints" | "language">>;
}

/** The agent of an event, and the instant (R2, R24). */
export interface CompletionFacts {
  /** The producer that the agent declared. */
  readonly agent: Producer | undefined;
  /** The first of the languages that the agent's manifest lists. */
  readonly agentLanguage: string | undefined;
  /** The value of `--producer-id`, used for an agent that declared no producer. */
  readonly producerId: string | undefined;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  readonly ids: IdSource;
}

/** Writes `wallTime` as a timestamp, or returns the session's latest timestamp if that is later (R3b). `wallTime` is in milliseconds since 1970. */
export function timestampFrom(
  wallTime: number,
  session: Pick<SessionFacts, "latestMicros" | "latestText"> | undefined,
): string {
  return session !== undefined && session.latestMicros > Math.floor(wallTime) * 1000
    ? session.latestText
    : formatTimestamp(wallTime);
}

function producerFrom(facts: CompletionFacts): Producer {
  if (facts.agent !== undefined) return facts.agent;
  if (facts.producerId !== undefined) return { agent_id: facts.producerId };
  throw new Fault(
    "producer_missing",
    `Name the agent in producer.agent_id, or declare it once, by a manifest (${SET_MANIFEST}, SetManifest) or publish --producer-id.`,
    {
      pointer: "/producer",
      rule: "R2",
    },
  );
}

/**
 * Fills in `@context`, `event_id`, `timestamp`, `producer`, `urgency` (by type), `position` (in code points) and the `accepted_response_kinds` of a
 * clarification (AAEP §9.4.1) where they are missing (R2). No member of `fields` may be undefined. `session` is undefined if no session with the
 * event's id is open. Returns `fields` itself if nothing was missing. The schema reports other missing members. Throws `producer_missing`.
 */
export function completeEvent(
  fields: Readonly<Record<string, unknown>>,
  kind: TopicKind,
  session: SessionFacts | undefined,
  facts: CompletionFacts,
): Readonly<Record<string, unknown>> {
  const isPositionMissing = kind === "output.streaming" && fields.position === undefined;
  const isKindMissing = kind === "awaiting.clarification" && fields.accepted_response_kinds === undefined;
  if (
    fields["@context"] !== undefined &&
    fields.event_id !== undefined &&
    fields.timestamp !== undefined &&
    fields.producer !== undefined &&
    fields.urgency !== undefined &&
    !isPositionMissing &&
    !isKindMissing
  ) {
    return fields;
  }
  const context = fields["@context"] ?? CORE_VOCABULARY;
  const event_id = fields.event_id ?? `evt_${facts.ids.hex(16)}`;
  const timestamp = fields.timestamp ?? timestampFrom(facts.wallTime, session);
  const producer = fields.producer ?? producerFrom(facts);
  const urgency = fields.urgency ?? defaultUrgency(kind);
  // One object literal with one spread at its end: a second spread, or assignments to a copy, cost ten times as much.
  if (!isPositionMissing) {
    const completed = { "@context": context, event_id, timestamp, producer, urgency, ...fields };
    return isKindMissing ? { ...completed, accepted_response_kinds: impliedResponseKinds(fields) } : completed;
  }
  const outputId = typeof fields.output_id === "string" ? fields.output_id : "";
  const position = session?.outputs.get(outputId)?.codePoints ?? 0;
  return { "@context": context, event_id, timestamp, producer, urgency, position, ...fields };
}

/**
 * Throws a Fault unless the completed event is valid by its schema. `addedBytes` is the size of the language hints that are filled in afterwards; 0
 * if none are.
 */
export type ValidateEvent = (event: Readonly<Record<string, unknown>>, addedBytes: number) => void;

/** An event that passed the intake. */
export interface TakenEvent {
  readonly event: AgentEvent;
  /** The event's JSON text. Undefined if the event differs from the agent's in more than its language. */
  readonly source: string | undefined;
  readonly kind: TopicKind;
  readonly timestamp: Timestamp;
  /** Whether the event differs from the agent's in nothing but its language. Duplicates are then compared with the event itself (R3). */
  readonly isAsSent: boolean;
}

/** The hints for one language: as a member of the event, and as the end of its JSON text. */
interface FilledHints {
  readonly hints: LocalizationHints;
  /** Replaces the closing brace of the text; ASCII. */
  readonly ending: string;
}

/** Most characters of a language tag, as in the schemas (AAEP §11.1.2). */
const LONGEST_TAG = 256;

export class EventIntake {
  private readonly defaultLanguage: string;
  private readonly validate: ValidateEvent;
  /** The hints that were made last, because most events have the language of the one before. */
  private last: FilledHints | undefined;

  constructor(defaultLanguage: string, validate: ValidateEvent) {
    this.defaultLanguage = defaultLanguage;
    this.validate = validate;
  }

  /** Takes one event in. `session` is undefined if no session with the event's id is open. Throws the Fault that refuses the event. */
  take(
    { fields, source, isHandedOver }: PublishedEvent,
    session: SessionFacts | undefined,
    facts: CompletionFacts,
  ): TakenEvent {
    const kind = topicKind(fields.type);
    const completed = completeEvent(fields, kind, session, facts);
    const isPlain = source !== undefined && isPlainSource(source);
    const repaired = isPlain
      ? completed
      : wellFormedFields(completed, kind === "output.streaming" ? "chunk" : undefined);
    // Without a type nothing is readable; the validation says so.
    const isWithout =
      typeof fields.type === "string" && repaired.localization_hints === undefined && hasTexts(repaired, kind);
    const missing = isWithout ? this.missing(repaired, kind, session, facts.agentLanguage) : undefined;
    this.validate(repaired, missing === undefined ? 0 : missing.ending.length - 1);
    const isAsSent = repaired === fields;
    // A completed or repaired event is already a copy, and so the daemon's own.
    const event = (
      missing === undefined ? repaired : withHints(repaired, missing.hints, !isAsSent || isHandedOver === true)
    ) as AgentEvent;
    const timestamp = parseTimestamp(event.timestamp);
    if (timestamp === undefined) {
      const sentence = "Write timestamp as RFC 3339 with no, three or six fractional digits, and Z or an offset.";
      throw new Fault("invalid_event", sentence, { pointer: "/timestamp", rule: "AAEP §3.2.5" });
    }
    const text = source !== undefined && missing !== undefined ? endedBy(source, missing) : source;
    return { event, kind, timestamp, source: isAsSent ? text : undefined, isAsSent };
  }

  /**
   * The hints of an event with texts that names no language: the first that is known of the chunk's, that of its output's first chunk, that of its
   * session's start, the agent's (the first that its manifest lists), the daemon's default (AAEP §11.1, R2).
   */
  private missing(
    event: Members,
    kind: TopicKind,
    session: SessionFacts | undefined,
    agentLanguage: string | undefined,
  ): FilledHints {
    const ofText = kind === "output.streaming" ? chunkLanguage(event, session) : undefined;
    const language = ofText ?? session?.language ?? agentLanguage ?? this.defaultLanguage;
    if (this.last?.hints.primary_language === language) return this.last;
    const hints = hintsIn(language, undefined);
    this.last = { hints, ending: `,"localization_hints":${JSON.stringify(hints)}}` };
    return this.last;
  }
}

function chunkLanguage({ language, output_id: id }: Members, session: SessionFacts | undefined): string | undefined {
  // The schema refuses every other value.
  if (typeof language === "string" && language.length <= LONGEST_TAG) return language;
  return session?.outputs.get(typeof id === "string" ? id : "")?.language;
}

function withHints(fields: Members, hints: LocalizationHints, isOwn: boolean): Members {
  if (!isOwn) return { ...fields, localization_hints: hints };
  // A copy of every event would cost a twentieth of the whole intake.
  (fields as Record<string, unknown>).localization_hints = hints;
  return fields;
}

/** Adds the missing language to the event's JSON text. The rest of the text stays byte-identical and is not parsed again. */
function endedBy(source: string, missing: FilledHints): string {
  // Only white space can follow the closing brace, and that is rare.
  const end = source.endsWith("}") ? source.length - 1 : source.lastIndexOf("}");
  return source.slice(0, end) + missing.ending;
}

/** Returns the fault with the event's id, and with the event's place in the array in front of its pointer. */
export function faultAt(caught: unknown, input: PublishedEvent, place: string): Fault {
  const fault = faultFrom(caught);
  const id = input.fields.event_id;
  const eventId = fault.eventId ?? (typeof id === "string" ? id : undefined);
  return fault.with({ pointer: `${place}${asSent(fault.pointer ?? "", input)}`, eventId });
}

/** The member that the agent has sent: a host's own id in place of the `tool_call_id` that the daemon made of it (R5c). */
function asSent(pointer: string, { fields }: PublishedEvent): string {
  const isMade = pointer.endsWith("/tool_call_id") && ownMembersOf(fields)?.call_id !== undefined;
  if (!isMade) return pointer;
  const path = pointer.split("/").slice(1);
  const given = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), fields);
  return given === undefined ? `/extensions/${AAEPD}/call_id` : pointer;
}
