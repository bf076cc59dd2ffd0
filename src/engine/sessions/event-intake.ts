// An event on its way in, before its order is looked at: completed, well-formed, validated, and its language said (R2, R25).
import { Fault } from "../../base/errors.js";
import { type AgentEvent, type LocalizationHints, type TopicKind, topicKind } from "../event/event.js";
import { parseTimestamp, type Timestamp } from "../event/timestamps.js";
import { isPlainSource, wellFormedFields } from "../text/well-formed.js";
import { type CompletionFacts, completeEvent, type SessionFacts } from "./complete-event.js";
import { createLanguageHints, endedBy } from "./language-hints.js";
import type { PublishedEvent } from "./same-publish.js";

/** Throws a Fault unless the completed event is valid by its schema. `addedBytes`: of the field that it gets yet; 0 where it gets none. */
export type ValidateEvent = (event: Readonly<Record<string, unknown>>, addedBytes: number) => void;

/** An event as it was taken. */
export interface TakenEvent {
  readonly event: AgentEvent;
  /** Its text, where it is what its agent sent, but for its language. */
  readonly source: string | undefined;
  readonly kind: TopicKind;
  readonly timestamp: Timestamp;
  /** It is what its agent sent, but for its language: a repeat can be compared with it (R3). */
  readonly isAsSent: boolean;
}

/** Throws the Fault that refuses the event. `session` is undefined where none is open. */
export type TakeEvent = (
  input: PublishedEvent,
  session: SessionFacts | undefined,
  facts: CompletionFacts,
) => TakenEvent;

export function createEventIntake(options: {
  readonly defaultLanguage: string;
  readonly validate: ValidateEvent;
}): TakeEvent {
  const { validate, defaultLanguage } = options;
  const languages = createLanguageHints(defaultLanguage);
  return (input, session, facts) => {
    const { fields, source } = input;
    const kind = typeof fields.type === "string" ? topicKind(fields.type) : "extension";
    const completed = completeEvent(fields, kind, session, facts);
    const isPlain = source !== undefined && isPlainSource(source);
    const repaired = isPlain
      ? completed
      : wellFormedFields(completed, kind === "output.streaming" ? "chunk" : undefined);
    const missing = languages.missingFrom(repaired, kind, session, facts.agentLanguage);
    validate(repaired, missing === undefined ? 0 : missing.ending.length - 1);
    const isAsSent = repaired === fields;
    // A completed or repaired event is a copy already.
    const isOwn = !isAsSent || input.isHandedOver === true;
    const event = (missing === undefined ? repaired : withHints(repaired, missing.hints, isOwn)) as AgentEvent;
    const text = isAsSent ? source && endedBy(source, missing) : undefined;
    return { event, kind, timestamp: timestampOf(event), source: text, isAsSent };
  };
}

type Fields = Readonly<Record<string, unknown>>;

function withHints(fields: Fields, hints: LocalizationHints, isOwn: boolean): Fields {
  if (!isOwn) return { ...fields, localization_hints: hints };
  // A copy of every event costs a twentieth of all that is done with it on its way in.
  (fields as Record<string, unknown>).localization_hints = hints;
  return fields;
}

function timestampOf(event: AgentEvent): Timestamp {
  const timestamp = parseTimestamp(event.timestamp);
  if (timestamp !== undefined) return timestamp;
  const sentence = "Write timestamp as RFC 3339 with no, three or six fractional digits, and Z or an offset.";
  throw new Fault("invalid_event", sentence, { pointer: "/timestamp", rule: "AAEP §3.2.5" });
}
