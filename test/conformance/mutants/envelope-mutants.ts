// Producers that break the envelope (chapters 3 and 11). No mutant drops event_id or session_id: nothing could be heard of such a producer.
import { CORE_CONTEXT, isEvent, isState, leavesQuestion, record, session, text, without } from "./messages.js";
import type { Mutant } from "./mutant.js";
import { eventsChanged, eventsFollowed, fieldLeftOut } from "./mutant-forms.js";
import { counter } from "./session-mutants.js";

const REQUIRED_FIELDS: readonly (readonly [name: string, field: string, paragraph: string])[] = [
  ["context-missing", "@context", "AAEP §3.2.1"],
  ["timestamp-missing", "timestamp", "AAEP §3.2.5"],
  ["producer-missing", "producer", "AAEP §3.2.6"],
];

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function inWordsOfPeople(timestamp: unknown): string {
  const date = new Date(text(timestamp));
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)}`;
}

const shifted = (timestamp: unknown, ms: number): string => new Date(Date.parse(text(timestamp)) + ms).toISOString();

export const ENVELOPE: readonly Mutant[] = [
  ...REQUIRED_FIELDS.map(([name, field, paragraph]) =>
    fieldLeftOut({ name, paragraph, breaks: `Every event MUST carry ${field}; it is left out.` }, field),
  ),
  eventsChanged(
    {
      name: "agent-id-missing",
      paragraph: "AAEP §3.2.6.1",
      breaks: "producer MUST contain agent_id; it has only a name.",
    },
    (event) => ({ ...event, producer: { agent_name: "An agent" } }),
  ),
  eventsChanged(
    {
      name: "core-context-second",
      paragraph: "AAEP §3.2.1",
      breaks: "The core context MUST be the first element of an array; it is the second.",
    },
    (event) => ({ ...event, "@context": ["https://example.org/first/context/v1", CORE_CONTEXT] }),
  ),
  eventsFollowed(
    {
      name: "event-id-reused",
      paragraph: "AAEP §3.2.3",
      breaks: "event_id MUST be unique; every second event of a session carries that of the one before it.",
    },
    () => {
      const index = counter(isEvent);
      const last = new Map<string, unknown>();
      return (event) => {
        if (index(event) % 2 === 1) return { ...event, event_id: last.get(session(event)) };
        last.set(session(event), event.event_id);
        return event;
      };
    },
  ),
  eventsChanged(
    {
      name: "event-id-malformed",
      paragraph: "AAEP §3.2.3",
      breaks: "event_id is `evt_` and 1 to 64 alphanumerics; it has a hyphen.",
    },
    (event) => ({ ...event, event_id: text(event.event_id).replace("evt_", "evt-") }),
  ),
  eventsFollowed(
    {
      name: "timestamps-go-back",
      paragraph: "AAEP §3.2.5",
      breaks: "Timestamps of a session MUST NOT decrease; every second one is a second before its predecessor.",
    },
    () => {
      const index = counter(isEvent);
      const last = new Map<string, unknown>();
      return (event) => {
        if (index(event) % 2 === 1) return { ...event, timestamp: shifted(last.get(session(event)), -1000) };
        last.set(session(event), event.timestamp);
        return event;
      };
    },
  ),
  eventsChanged(
    {
      name: "timestamps-in-the-future",
      paragraph: "AAEP §3.2.5",
      breaks: "Timestamps MUST NOT be future-dated; all are an hour ahead.",
    },
    (event) => ({ ...event, timestamp: shifted(event.timestamp, 3_600_000) }),
  ),
  eventsChanged(
    {
      name: "timestamp-in-words",
      paragraph: "AAEP §3.2.5",
      breaks: "timestamp MUST be RFC 3339; it is written as `May 24, 2026 14:22:11`.",
    },
    (event) => ({ ...event, timestamp: inWordsOfPeople(event.timestamp) }),
  ),
  eventsChanged(
    {
      name: "timestamp-with-two-digits",
      paragraph: "AAEP §3.2.5",
      breaks: "Fractions have 3 or 6 digits; they have two.",
    },
    // Cut from the same millisecond each time, so the order stays.
    (event) => ({ ...event, timestamp: `${shifted(event.timestamp, 0).slice(0, 22)}Z` }),
  ),
  eventsChanged(
    {
      name: "unknown-core-type",
      paragraph: "AAEP §3.2.2",
      breaks: "In the aaep: namespace only the twelve types exist; state.changed is sent as state.entered.",
    },
    (event) =>
      isState(event) && event.to_state !== "awaiting_input" && !leavesQuestion(event)
        ? { ...event, type: "aaep:agent.state.entered" }
        : event,
  ),
  eventsChanged(
    {
      name: "stray-envelope-field",
      paragraph: "AAEP §3.5",
      breaks: "Custom fields MUST be inside extensions; custom_field stands at envelope level.",
    },
    (event) => ({ ...event, custom_field: "value" }),
  ),
  eventsChanged(
    {
      name: "reserved-envelope-field",
      paragraph: "AAEP §3.5",
      breaks: "Names beginning aaep_ are reserved; aaep_trace stands at envelope level.",
    },
    (event) => ({ ...event, aaep_trace: "1" }),
  ),
  eventsChanged(
    {
      name: "extension-undeclared",
      paragraph: "AAEP §3.4.3",
      breaks: "A prefix in extensions MUST be declared in @context; medai is not.",
    },
    (event) =>
      typeof event["@context"] === "string"
        ? { ...event, extensions: { ...record(event.extensions), medai: { patient_data_accessed: true } } }
        : event,
  ),
  eventsFollowed(
    {
      name: "sequence-with-holes",
      paragraph: "AAEP §3.4.1",
      breaks: "sequence_number MUST grow by exactly 1; it grows by 2.",
    },
    () => {
      const index = counter(isEvent);
      return (event) => ({ ...event, sequence_number: index(event) * 2 });
    },
  ),
  eventsFollowed(
    {
      name: "sequence-on-some-events",
      paragraph: "AAEP §3.4.1",
      breaks: "sequence_number is on all events of a session or on none; every second one has it.",
    },
    () => {
      const index = counter(isEvent);
      return (event) => {
        const number = index(event);
        return number % 2 === 0
          ? { ...without(event, "sequence_number"), sequence_number: number }
          : without(event, "sequence_number");
      };
    },
  ),
];
