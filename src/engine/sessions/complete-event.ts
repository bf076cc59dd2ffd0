// Completes an event: fills in the members that an agent may leave out (R2). Members that the agent set are neither read nor checked here.
import { Fault } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import { defaultUrgency, type Producer, type TopicKind } from "../event/event.js";
import { formatTimestamp } from "../event/timestamps.js";
import { CORE_VOCABULARY, SET_MANIFEST } from "../event/vocabulary.js";
import { impliedResponseKinds } from "./response-kinds.js";

/** Facts about the session that an event belongs to. */
export interface SessionFacts {
  /** Instant of the session's latest event, in microseconds since 1970. */
  readonly latestMicros: number;
  /** The same instant as its event wrote it. */
  readonly latestText: string;
  /** The language of the texts of `session.started`. Undefined for a session from a durable record that has no language. */
  readonly language: string | undefined;
  /** The open outputs. `language` is that of the output's first chunk. */
  readonly outputs: ReadonlyMap<string, { readonly codePoints: number; readonly language: string | undefined }>;
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
