// Producers that break the envelope (chapters 3 and 11). No mutant drops event_id or session_id: nothing could be heard of such a producer.
import type { Deviations } from "./deviation.js";
import { eventsFollowed, leaving, told } from "./forms.js";
import {
  type Change,
  CORE_CONTEXT,
  isEvent,
  isKind,
  isQuestion,
  isState,
  leavesQuestion,
  type Message,
  ofAgent,
  record,
  session,
  text,
} from "./messages.js";
import { counter } from "./session-mutants.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function inWordsOfPeople(timestamp: unknown): string {
  const date = new Date(text(timestamp));
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)}`;
}

const shifted = (timestamp: unknown, ms: number): string => new Date(Date.parse(text(timestamp)) + ms).toISOString();

/** Every second event of a session is changed in the light of a member of the one before it. */
function everySecond(member: string, change: (event: Message, before: unknown) => Message): () => Change {
  return () => {
    const index = counter(isEvent);
    const last = new Map<string, unknown>();
    return (event) => {
      if (index(event) % 2 === 1) return change(event, last.get(session(event)));
      last.set(session(event), event[member]);
      return event;
    };
  };
}

const otherLanguage = (tag: unknown): string => (text(tag).toLowerCase().startsWith("en") ? "de-DE" : "en-US");
const hintsOf = (event: Message): Message => record(event.localization_hints);

export const ENVELOPE: Deviations = {
  "timestamp-missing": told(isEvent, leaving("timestamp")),
  // AAEP §3.2.6.1: producer MUST contain agent_id; it has only a name.
  "agent-id-missing": told(isEvent, (event) => ({ ...event, producer: { agent_name: "An agent" } })),
  "agent-of-the-session": told(isEvent, (event) => ofAgent(event, session(event))),
  // AAEP §3.2.1: the core context MUST be the first element of an array; it is the second.
  "core-context-second": told(isEvent, (event) => ({
    ...event,
    "@context": ["https://example.org/first/context/v1", CORE_CONTEXT],
  })),
  // AAEP §3.2.3: event_id MUST be unique; every second event of a session carries that of the one before it.
  "event-id-reused": eventsFollowed(everySecond("event_id", (event, event_id) => ({ ...event, event_id }))),
  // AAEP §3.2.3: event_id is `evt_` and 1 to 64 alphanumerics; it has a hyphen.
  "event-id-malformed": told(isEvent, (event) => ({
    ...event,
    event_id: text(event.event_id).replace("evt_", "evt-"),
  })),
  // AAEP §3.2.5: events but questions are dated back by a minute.
  "timestamps-a-minute-back": told(
    (message) => isEvent(message) && !isQuestion(message),
    (event) => ({ ...event, timestamp: shifted(event.timestamp, -60_000) }),
  ),
  // AAEP §3.2.5: timestamp MUST be RFC 3339; it is written as `May 24, 2026 14:22:11`.
  "timestamp-in-words": told(isEvent, (event) => ({ ...event, timestamp: inWordsOfPeople(event.timestamp) })),
  // AAEP §3.2.2: in the aaep: namespace only the twelve types exist; state.changed is sent as state.entered.
  "unknown-core-type": told(
    (event) => isState(event) && event.to_state !== "awaiting_input" && !leavesQuestion(event),
    (event) => ({ ...event, type: "aaep:agent.state.entered" }),
  ),
  // AAEP §3.5: custom fields MUST be inside extensions; custom_field stands at envelope level.
  "stray-envelope-field": told(isEvent, (event) => ({ ...event, custom_field: "value" })),
  // AAEP §3.5: names beginning aaep_ are reserved; aaep_trace stands at envelope level.
  "reserved-envelope-field": told(isEvent, (event) => ({ ...event, aaep_trace: "1" })),
  // AAEP §3.4.1: sequence_number MUST grow by exactly 1; it grows by 2.
  "sequence-with-holes": eventsFollowed(() => {
    const index = counter(isEvent);
    return (event) => ({ ...event, sequence_number: index(event) * 2 });
  }),
  // AAEP §3.4.4: aaep_version is 7.0.0 on every event.
  "version-never-published": told(isEvent, (event) => ({ ...event, aaep_version: "7.0.0" })),
  // AAEP §3.8: a duration is 2^53 + 2.
  "integer-beyond-2-53": told(
    (event) => isKind(event, "agent.tool.completed"),
    (event) => ({ ...event, extensions: { aaepd: { size: 2 ** 53 + 2 } } }),
  ),
  // AAEP §3.8: progress.updated comes in an array.
  "message-in-an-array": told(
    (message) => isKind(message, "agent.progress.updated"),
    (message) => [[message] as unknown as Message],
  ),
  // AAEP §11.1.1: primary_language is the language the texts are written in; another one is named.
  "language-label-wrong": told(
    (event) => isEvent(event) && "primary_language" in hintsOf(event),
    (event) => ({
      ...event,
      localization_hints: { ...hintsOf(event), primary_language: otherLanguage(hintsOf(event).primary_language) },
    }),
  ),
  // AAEP §11.1: events with text for people MUST carry a language declaration; localization_hints is left out.
  "language-undeclared": told(isEvent, leaving("localization_hints")),
  // AAEP §3.3.1: verbosity names the level of the texts in the event; it names another.
  "verbosity-label-wrong": told(isEvent, (event) => ({
    ...event,
    verbosity: event.verbosity === "detailed" ? "terse" : "detailed",
  })),
};
