// Takes an event in before its order is checked: completes it, makes its texts well-formed, validates it, and fills in its language (R2, R25).
import { Fault, faultFrom } from "../../base/errors.js";
import { type AgentEvent, type LocalizationHints, type TopicKind, topicKind } from "../event/event.js";
import { isObject, ownMembersOf } from "../event/own-members.js";
import { parseTimestamp, type Timestamp } from "../event/timestamps.js";
import { AAEPD } from "../event/vocabulary.js";
import { isPlainSource, wellFormedFields } from "../text/well-formed.js";
import { type CompletionFacts, completeEvent, type SessionFacts } from "./complete-event.js";
import { createLanguageHints, endedBy } from "./language-hints.js";
import type { PublishedEvent } from "./same-publish.js";

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

/** Takes one event in. `session` is undefined if no session with the event's id is open. Throws the Fault that refuses the event. */
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
    const hasType = typeof fields.type === "string";
    const kind = topicKind(fields.type);
    const completed = completeEvent(fields, kind, session, facts);
    const isPlain = source !== undefined && isPlainSource(source);
    const repaired = isPlain
      ? completed
      : wellFormedFields(completed, kind === "output.streaming" ? "chunk" : undefined);
    // Without a type nothing is readable; the validation says so.
    const missing = hasType ? languages.missingFrom(repaired, kind, session, facts.agentLanguage) : undefined;
    validate(repaired, missing === undefined ? 0 : missing.ending.length - 1);
    const isAsSent = repaired === fields;
    // A completed or repaired event is already a copy.
    const isOwn = !isAsSent || input.isHandedOver === true;
    const event = (missing === undefined ? repaired : withHints(repaired, missing.hints, isOwn)) as AgentEvent;
    const text = isAsSent ? source && endedBy(source, missing) : undefined;
    return { event, kind, timestamp: timestampOf(event), source: text, isAsSent };
  };
}

type Fields = Readonly<Record<string, unknown>>;

function withHints(fields: Fields, hints: LocalizationHints, isOwn: boolean): Fields {
  if (!isOwn) return { ...fields, localization_hints: hints };
  // A copy of every event would cost a twentieth of the whole intake.
  (fields as Record<string, unknown>).localization_hints = hints;
  return fields;
}

function timestampOf(event: AgentEvent): Timestamp {
  const timestamp = parseTimestamp(event.timestamp);
  if (timestamp !== undefined) return timestamp;
  const sentence = "Write timestamp as RFC 3339 with no, three or six fractional digits, and Z or an offset.";
  throw new Fault("invalid_event", sentence, { pointer: "/timestamp", rule: "AAEP §3.2.5" });
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
