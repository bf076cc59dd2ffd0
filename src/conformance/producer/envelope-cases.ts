// Chapter 3 and 11: what every event carries.

import { fail } from "../findings/verdicts.js";
import type { Conversation, Message } from "../wire/conversation.js";
import { AGENT_ID_CASE } from "./agent-id-case.js";
import { capabilitiesIn, heardEvents } from "./hearing.js";
import type { WatchingCase } from "./producer-case.js";
import { schemaFault } from "./schema-faults.js";
import { evidenceOf, isType, kindOf } from "./stage.js";
import { eachEvent, eachSession } from "./watching.js";

const CONTEXT = "https://aaep-protocol.org/context/v1";
const KINDS = new Set([
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
]);
const REQUIRED = ["@context", "type", "event_id", "session_id", "timestamp", "producer"];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{3}|\d{6}))?(?:Z|[+-]\d\d:\d\d)$/;
const PREFIXES_OF_AAEP = new Set(["aaep", "xsd", "rdf", "rdfs"]);
/** Members with text for people, and their variants in other languages. */
const SPOKEN =
  /^(?:summary_(?:terse|normal|detailed)|chunk|question|description|error_message|action|consequence|reason|remediation_hint)(?:_[A-Za-z0-9-]+)?$/;
const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const ANNOUNCED = ["session.started", "session.completed", "session.errored", "session.cancelled", "tool.invoked"];
/** The versions of the specification that were published when this suite was. */
const VERSIONS: ReadonlySet<unknown> = new Set(["0.1.0-draft", "1.0.0"]);
/** Clocks of two machines may differ by less. */
const FURTHEST_OFF_MS = 300_000;
const unseen = "No event came.";

export const ENVELOPE_CASES: readonly WatchingCase[] = [
  eachEvent(
    {
      id: "P1-envelope-fields",
      title: "Every event has @context, type, event_id, session_id, timestamp and producer.",
      paragraphs: ["AAEP §3.2", "AAEP §9.3.1"],
      level: 1,
      unseen,
    },
    (event) => {
      const missing = REQUIRED.filter((name) => event[name] === undefined);
      return missing.length === 0 ? undefined : `An event is without ${missing.join(", ")}.`;
    },
  ),
  eachEvent(
    {
      id: "P1-envelope-context",
      title: "@context is the AAEP context, or an array that begins with it.",
      paragraphs: ["AAEP §3.2.1"],
      level: 1,
      unseen,
    },
    ({ "@context": context }) => {
      if (context === undefined) return "not judged";
      const first = Array.isArray(context) ? context[0] : context;
      return first === CONTEXT ? undefined : "The context of an event does not begin with that of AAEP.";
    },
  ),
  eachEvent(
    {
      id: "P1-event-types",
      title: "Every type in the namespace of AAEP is one of the twelve.",
      paragraphs: ["AAEP §3.2.2", "AAEP §4.7"],
      level: 1,
      unseen,
    },
    (event) => {
      const { type } = event;
      if (typeof type !== "string") return "An event has no type that is a text.";
      const isOfAaep = type.startsWith("aaep:") || type.startsWith("https://aaep-protocol.org/types/");
      if (!isOfAaep) return "not judged";
      return KINDS.has(kindOf(event) ?? "") ? undefined : `${type} is no type of AAEP.`;
    },
  ),
  eachEvent(
    {
      id: "P1-id-forms",
      title: "event_id is evt_ and session_id is sess_, each with 1 to 64 letters and digits.",
      paragraphs: ["AAEP §3.2.3", "AAEP §3.2.4"],
      level: 1,
      unseen,
    },
    ({ event_id, session_id }) => {
      if (event_id !== undefined && !/^evt_[A-Za-z0-9]{1,64}$/.test(String(event_id)))
        return "An event_id has another form.";
      if (session_id !== undefined && !/^sess_[A-Za-z0-9]{1,64}$/.test(String(session_id)))
        return "A session_id has another form.";
      return undefined;
    },
  ),
  eachEvent(
    {
      id: "P1-timestamp-form",
      title: "timestamp is of RFC 3339, with Z or an offset, and with 3, 6 or no digits of a second's fraction.",
      paragraphs: ["AAEP §3.2.5"],
      level: 1,
      unseen,
    },
    ({ timestamp }) => {
      if (timestamp === undefined) return "not judged";
      const fits = typeof timestamp === "string" && TIMESTAMP.test(timestamp) && !Number.isNaN(Date.parse(timestamp));
      return fits ? undefined : "A timestamp has another form.";
    },
  ),
  eachEvent(
    {
      id: "P1-producer",
      title: "producer is an object with an agent_id.",
      paragraphs: ["AAEP §3.2.6"],
      level: 1,
      unseen,
    },
    ({ producer }) => {
      if (producer === undefined) return "not judged";
      const { agent_id } = (typeof producer === "object" && producer !== null ? producer : {}) as Message;
      return typeof agent_id === "string" && agent_id !== "" ? undefined : "A producer has no agent_id.";
    },
  ),
  AGENT_ID_CASE,
  eachEvent(
    {
      id: "P1-schema",
      title: "Every event of a core type fits the schema of its type.",
      paragraphs: ["AAEP §9.3.1", "AAEP §4.7"],
      level: 1,
      unseen,
    },
    (event) => {
      const kind = kindOf(event);
      if (kind === undefined || !KINDS.has(kind)) return "not judged";
      return schemaFault(kind, event);
    },
  ),
  eachEvent(
    {
      id: "P1-envelope-reserved",
      title: "No event has @id, @graph, @base, @vocab, or a field beginning with aaep_ other than aaep_version.",
      paragraphs: ["AAEP §3.5"],
      level: 1,
      unseen,
    },
    (event) => {
      const reserved = Object.keys(event).find(
        (name) => /^@(?:id|graph|base|vocab)$/.test(name) || (name.startsWith("aaep_") && name !== "aaep_version"),
      );
      return reserved === undefined ? undefined : `An event has the field ${reserved}.`;
    },
  ),
  eachEvent(
    {
      id: "P1-extension-prefix",
      title: "An event with extensions declares a further context, and uses no prefix that is AAEP's.",
      paragraphs: ["AAEP §3.4.3", "AAEP §7.3.2"],
      level: 1,
      unseen: "No event with extensions came.",
    },
    ({ extensions, "@context": context }) => {
      if (extensions === undefined) return "not judged";
      if (typeof extensions !== "object" || extensions === null || Array.isArray(extensions))
        return "The extensions of an event are no object.";
      const reserved = Object.keys(extensions).find((name) => PREFIXES_OF_AAEP.has(name) || name.startsWith("@"));
      if (reserved !== undefined) return `The prefix ${reserved} is reserved.`;
      return Array.isArray(context) && context.length > 1
        ? undefined
        : "Extensions stand there, and no context of theirs.";
    },
  ),
  eachEvent(
    {
      id: "P1-language-declared",
      title: "An event with text for people says its language in localization_hints.primary_language.",
      paragraphs: ["AAEP §11.1"],
      level: 1,
      unseen: "No event with text for people came.",
    },
    (event) => {
      const isSpoken = Object.entries(event).some(
        ([name, value]) => typeof value === "string" && value !== "" && SPOKEN.test(name),
      );
      if (!isSpoken) return "not judged";
      const { primary_language } = (event.localization_hints ?? {}) as Message;
      return typeof primary_language === "string" && TAG.test(primary_language)
        ? undefined
        : "An event with text has no language tag in localization_hints.primary_language.";
    },
  ),
  eachEvent(
    {
      id: "P1-urgency",
      title: "session.errored, questions and handoff.requested have the urgency critical.",
      paragraphs: ["AAEP §4.1.3", "AAEP §5.5.4"],
      level: 1,
      unseen: "No error, question or handoff came.",
    },
    (event) => {
      if (isType(event, "session.errored", "awaiting.confirmation", "awaiting.clarification", "handoff.requested"))
        return event.urgency === "critical" ? undefined : `The urgency of ${String(event.type)} is not critical.`;
      return "not judged";
    },
  ),
  {
    kind: "watching",
    id: "P1-summary-normal",
    title: "The events that are announced have a summary_normal, or the summary of the verbosity that was asked for.",
    paragraphs: ["AAEP §9.3.1", "AAEP §5.3.1.2"],
    level: 1,
    severity: "error",
    unseen: "No event that is announced came.",
    judge: ({ conversations }) => {
      let judged = 0;
      for (const conversation of conversations) {
        const fields = summaryFields(conversation);
        for (const { recorded, event } of heardEvents([conversation])) {
          if (!isType(event, ...ANNOUNCED)) continue;
          judged += 1;
          if (!fields.some((name) => typeof event[name] === "string" && event[name] !== ""))
            fail(`${String(event.type)} has ${fields.join(" or ")}.`, "It has none.", [evidenceOf(recorded)]);
        }
      }
      return judged;
    },
  },
  {
    kind: "watching",
    id: "P1-json",
    title: "Every message is a JSON object.",
    paragraphs: ["AAEP §3.8", "AAEP §8.2.2"],
    level: 1,
    severity: "error",
    unseen,
    judge: ({ conversations }) => {
      const received = conversations.flatMap(({ record }) => record.filter(({ way }) => way === "received"));
      const strange = received.find(({ message }) => message === undefined);
      if (strange !== undefined) fail("Every message is a JSON object.", "One is not.", [evidenceOf(strange)]);
      return received.length;
    },
  },
  eachEvent(
    {
      id: "P1-numbers",
      title: "No number of an event is an integer beyond 2^53.",
      paragraphs: ["AAEP §3.8"],
      level: 1,
      unseen,
    },
    (event) => (hasHugeInteger(event) ? "An event has an integer beyond 2^53, and not as a string." : undefined),
  ),
  eachEvent(
    {
      id: "P1-aaep-version",
      title: "aaep_version, where it stands, is a published version of the specification.",
      paragraphs: ["AAEP §3.4.4"],
      level: 1,
      unseen: "No event with an aaep_version came.",
    },
    ({ aaep_version: version }) => {
      if (version === undefined) return "not judged";
      return VERSIONS.has(version) ? undefined : `The aaep_version ${JSON.stringify(version)} was not published.`;
    },
  ),
  {
    kind: "watching",
    id: "P1-event-id-unique",
    title: "No two events have the same event_id.",
    paragraphs: ["AAEP §3.2.3", "AAEP §8.2.4"],
    level: 1,
    severity: "error",
    unseen,
    judge: ({ conversations }) => {
      const texts = new Map<string, string>();
      const events = heardEvents(conversations);
      for (const conversation of conversations) {
        const seen = new Set<string>();
        for (const { recorded, event } of heardEvents([conversation])) {
          const id = String(event.event_id);
          // A transport may repeat a message. The same id with another event is a fault on one conversation, whatever the shape.
          const known = texts.get(id);
          if (seen.has(id) && known !== undefined && known !== recorded.text)
            fail("No two events have the same event_id.", `Two different events have the id ${id}.`, [
              { note: "received", text: known },
              evidenceOf(recorded),
            ]);
          seen.add(id);
          texts.set(id, recorded.text);
        }
      }
      return events.length;
    },
  },
  eachSession(
    {
      id: "P1-timestamp-order",
      title: "The timestamps of a session never fall.",
      paragraphs: ["AAEP §3.2.5"],
      level: 1,
      unseen,
    },
    ({ events, isFiltered }) => {
      // A critical event overtakes what a rate holds back.
      if (isFiltered) return "not judged";
      for (let place = 1; place < events.length; place += 1) {
        const [before, now] = [events[place - 1]?.event.timestamp, events[place]?.event.timestamp];
        const [earlier, later] = [Date.parse(String(before)), Date.parse(String(now))];
        // Compared at the coarser of the two precisions: a time without a fraction stands for its whole second.
        const step = /\.\d/.test(String(before)) && /\.\d/.test(String(now)) ? 1 : 1000;
        if (Math.floor(later / step) < Math.floor(earlier / step))
          return { seen: `${String(now)} follows ${String(before)}.`, places: [place - 1, place] };
      }
      return events.length > 1 ? undefined : "not judged";
    },
  ),
  {
    kind: "watching",
    id: "P1-timestamp-now",
    title: "timestamp is the time of the emission, within five minutes.",
    paragraphs: ["AAEP §3.2.5"],
    level: 1,
    severity: "error",
    unseen,
    judge: ({ conversations }) => {
      let judged = 0;
      for (const { startedAt, record } of conversations)
        for (const recorded of record) {
          const { way, at, message } = recorded;
          if (way !== "received" || message?.event_id === undefined) continue;
          const instant = Date.parse(String(message.timestamp));
          if (Number.isNaN(instant)) continue;
          judged += 1;
          const off = Math.abs(instant - (startedAt.wallTime + at - startedAt.at));
          if (off > FURTHEST_OFF_MS)
            fail("timestamp is the time of the emission.", `It is ${Math.round(off / 60_000)} minutes off.`, [
              evidenceOf(recorded),
            ]);
        }
      return judged;
    },
  },
  eachSession(
    {
      id: "P1-sequence-number",
      title:
        "sequence_number is 0 at session.started and rises with each event, by 1 where nothing is merged or kept back, or is on no event of the session.",
      paragraphs: ["AAEP §3.4.1"],
      level: 1,
      unseen: "No event with a sequence_number came.",
    },
    ({ events, isFromBeginning, isFiltered, isWhole }) => {
      if (isFiltered && !isWhole) return "not judged";
      const numbers = events.map(({ event }) => event.sequence_number);
      if (numbers.every((number) => number === undefined)) return "not judged";
      const without = numbers.indexOf(undefined);
      if (without !== -1) return { seen: "Some events of a session have no sequence_number.", places: [without] };
      for (let place = 1; place < numbers.length; place += 1) {
        const step = Number(numbers[place]) - Number(numbers[place - 1]);
        // A stream that is merged or filtered has holes (R16).
        if (step < 1 || (isWhole && step !== 1))
          return { seen: `${numbers[place]} follows ${numbers[place - 1]}.`, places: [place - 1, place] };
      }
      if (isFromBeginning && numbers[0] !== 0) return { seen: "A session begins with another number.", places: [0] };
      return undefined;
    },
  ),
];

/** The summaries that a conversation may get: summary_normal, and that of each verbosity that it asked for. */
function summaryFields({ record }: Conversation): readonly string[] {
  const asked = record.flatMap(({ way, message }) => {
    const { preferred_verbosity: verbosity } = capabilitiesIn(message);
    return way === "sent" && verbosity !== undefined ? [`summary_${String(verbosity)}`] : [];
  });
  return [...new Set(["summary_normal", ...asked])];
}

/** A number of this size is not safe: the text may have meant a neighbour of it. */
function hasHugeInteger(event: Message): boolean {
  // No recursion: a broken target may nest deeper than the stack.
  const left: unknown[] = [event];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) > 2 ** 53) return true;
    if (typeof value === "object" && value !== null) for (const one of Object.values(value)) left.push(one);
  }
  return false;
}
