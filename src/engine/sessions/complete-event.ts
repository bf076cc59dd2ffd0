// Filling in what an agent may leave out of an event (R2). What it did set is not looked at here, let alone judged.
import { Fault } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import { defaultUrgency, type Producer, type TopicKind } from "../event/event.js";
import { formatTimestamp } from "../event/timestamps.js";
import { CORE_VOCABULARY, SET_MANIFEST } from "../event/vocabulary.js";
import { impliedResponseKinds } from "./response-kinds.js";

/** What is known of the session an event belongs to. */
export interface SessionFacts {
  /** Microseconds since 1970 of its latest event. */
  readonly latestMicros: number;
  /** The same instant as it was written. */
  readonly latestText: string;
  /** The language of its start's texts; undefined where a build kept the session that did not know. */
  readonly language: string | undefined;
  /** `language` is that of the output's first chunk. */
  readonly outputs: ReadonlyMap<string, { readonly codePoints: number; readonly language: string | undefined }>;
}

export interface CompletionFacts {
  /** What the agent said of itself when it connected. */
  readonly agent: Producer | undefined;
  /** The first of the languages that its manifest lists. */
  readonly agentLanguage: string | undefined;
  /** `--producer-id`: stands in for an agent that said nothing. */
  readonly producerId: string | undefined;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  readonly ids: IdSource;
}

/** The instant given, or the session's latest where that is later (R3b). */
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

/** As `completeEnvelope` fills in; a clarification also gets the kinds of answers that it takes (AAEP §9.4.1). */
export function completeEvent(
  fields: Readonly<Record<string, unknown>>,
  kind: TopicKind,
  session: SessionFacts | undefined,
  facts: CompletionFacts,
): Readonly<Record<string, unknown>> {
  const completed = completeEnvelope(fields, kind, session, facts);
  if (kind !== "awaiting.clarification" || fields.accepted_response_kinds !== undefined) return completed;
  return { ...completed, accepted_response_kinds: impliedResponseKinds(fields) };
}

/**
 * The event with its `@context`, `event_id`, `timestamp`, `producer`, `urgency` (by type) and `position` (in code points) filled in
 * where they are missing (R2); no member may be undefined. `session` is undefined where none is open. Answers the same object where nothing
 * was filled in. What the result lacks is for the schema to say. Throws `producer_missing`.
 */
function completeEnvelope(
  fields: Readonly<Record<string, unknown>>,
  kind: TopicKind,
  session: SessionFacts | undefined,
  facts: CompletionFacts,
): Readonly<Record<string, unknown>> {
  const isPositionMissing = kind === "output.streaming" && fields.position === undefined;
  if (
    fields["@context"] !== undefined &&
    fields.event_id !== undefined &&
    fields.timestamp !== undefined &&
    fields.producer !== undefined &&
    fields.urgency !== undefined &&
    !isPositionMissing
  ) {
    return fields;
  }
  const context = fields["@context"] ?? CORE_VOCABULARY;
  const event_id = fields.event_id ?? `evt_${facts.ids.hex(16)}`;
  const timestamp = fields.timestamp ?? timestampFrom(facts.wallTime, session);
  const producer = fields.producer ?? producerFrom(facts);
  const urgency = fields.urgency ?? defaultUrgency(kind);
  // Literals with one spread at the end: adding members to a copy, or a second spread, costs ten times as much.
  if (!isPositionMissing) return { "@context": context, event_id, timestamp, producer, urgency, ...fields };
  const outputId = typeof fields.output_id === "string" ? fields.output_id : "";
  const position = session?.outputs.get(outputId)?.codePoints ?? 0;
  return { "@context": context, event_id, timestamp, producer, urgency, position, ...fields };
}
