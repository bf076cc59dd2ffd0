// Chapter 3 and 11: what every event carries.
import { isCarried } from "../../base/json-number.js";
import { type Evidence, fail } from "../findings/finding.js";
import { type Conversation, evidenceOf, type Message } from "../wire/conversation.js";
import { outsideStrings, wordsOf } from "../wire/message-text.js";
import { capabilitiesIn, type HeardEvent, heardEvents, heardSessions } from "./hearing.js";
import { eachEvent, eachSession, type WatchingCase, watching } from "./producer-case.js";
import { CORE_KINDS, schemaFault } from "./schema-faults.js";
import { type Heard, isType, kindOf } from "./stage.js";

const CONTEXT = "https://aaep-protocol.org/context/v1";
const REQUIRED = ["@context", "type", "event_id", "session_id", "timestamp", "producer"];
const PREFIXES_OF_AAEP = new Set(["aaep", "xsd", "rdf", "rdfs"]);
/** Members with text for people, and their variants in other languages. */
const SPOKEN =
  /^(?:summary_(?:terse|normal|detailed)|chunk|question|description|error_message|action|consequence|reason|remediation_hint|output_summary|partial_result|context)(?:_[A-Za-z0-9-]+)?$/;
const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const ANNOUNCED = ["session.started", "session.completed", "session.errored", "session.cancelled", "tool.invoked"];
/** The versions of the specification that were published when this suite was. */
const VERSIONS: ReadonlySet<unknown> = new Set(["0.1.0-draft", "1.0.0"]);
const unseen = "No event came.";

export const ENVELOPE_CASES: readonly WatchingCase[] = [
  eachEvent(
    "P1-envelope-fields",
    "Every event has @context, type, event_id, session_id, timestamp and producer.",
    ["AAEP §3.2", "AAEP §9.3.1"],
    unseen,
    (event) => {
      const missing = REQUIRED.filter((name) => event[name] === undefined);
      return missing.length === 0 ? undefined : `An event is without ${missing.join(", ")}.`;
    },
  ),
  eachEvent(
    "P1-envelope-context",
    "@context is the AAEP context, or an array that begins with it.",
    ["AAEP §3.2.1"],
    unseen,
    ({ "@context": context }) => {
      if (context === undefined) return "not judged";
      const first = Array.isArray(context) ? context[0] : context;
      return first === CONTEXT ? undefined : "The context of an event does not begin with that of AAEP.";
    },
  ),
  eachEvent(
    "P1-event-types",
    "Every type in the namespace of AAEP is one of the twelve.",
    ["AAEP §3.2.2", "AAEP §4.7"],
    unseen,
    (event) => {
      const { type } = event;
      if (typeof type !== "string") return "An event has no type that is a text.";
      const isOfAaep = type.startsWith("aaep:") || type.startsWith("https://aaep-protocol.org/types/");
      if (!isOfAaep) return "not judged";
      return CORE_KINDS.has(kindOf(event) ?? "") ? undefined : `${type} is no type of AAEP.`;
    },
  ),
  eachEvent(
    "P1-id-forms",
    "event_id is evt_ and session_id is sess_, each with 1 to 64 letters and digits.",
    ["AAEP §3.2.3", "AAEP §3.2.4"],
    unseen,
    ({ event_id, session_id }) => {
      if (event_id !== undefined && !/^evt_[A-Za-z0-9]{1,64}$/.test(wordsOf(event_id)))
        return "An event_id has another form.";
      if (session_id !== undefined && !/^sess_[A-Za-z0-9]{1,64}$/.test(wordsOf(session_id)))
        return "A session_id has another form.";
      return undefined;
    },
  ),
  eachEvent("P1-producer", "producer is an object with an agent_id.", ["AAEP §3.2.6"], unseen, ({ producer }) => {
    if (producer === undefined) return "not judged";
    const { agent_id } = (typeof producer === "object" && producer !== null ? producer : {}) as Message;
    return typeof agent_id === "string" && agent_id !== "" ? undefined : "A producer has no agent_id.";
  }),
  watching(
    "P1-agent-id-stable",
    "agent_id stays: it is not another one on most events, nor in most sessions of one scenario, and names no version.",
    ["AAEP §3.2.6.1"],
    "No session of three events came.",
    (heard) => {
      let judged = 0;
      for (const { events } of heardSessions(heard)) {
        const named = events.filter(({ event }) => agentOf(event) !== undefined);
        if (named.length < FEWEST_ALIKE) continue;
        judged += 1;
        if (areOthers(named)) fail("An agent_id stays.", "The events of a session have others.", evidenceOfTwo(named));
        const dated = named.find(({ event }) => namesVersion((event.producer ?? {}) as Message));
        if (dated !== undefined)
          fail("An agent_id is the same in each version.", "It has the agent_version in it.", [
            evidenceOf(dated.recorded),
          ]);
      }
      for (const firsts of firstsByScenario(heard).values()) {
        if (firsts.length < FEWEST_ALIKE) continue;
        if (areOthers(firsts))
          fail("An agent_id stays.", "The sessions of one scenario have others.", evidenceOfTwo(firsts));
      }
      return judged;
    },
  ),
  eachEvent(
    "P1-schema",
    "Every event of a core type fits the schema of its type.",
    ["AAEP §9.3.1", "AAEP §4.7"],
    unseen,
    (event) => {
      const kind = kindOf(event);
      if (kind === undefined || !CORE_KINDS.has(kind)) return "not judged";
      return schemaFault(kind, event);
    },
  ),
  eachEvent(
    "P1-envelope-reserved",
    "No event has @id, @graph, @base, @vocab, or a field beginning with aaep_ other than aaep_version.",
    ["AAEP §3.5"],
    unseen,
    (event) => {
      const reserved = Object.keys(event).find(
        (name) => /^@(?:id|graph|base|vocab)$/.test(name) || (name.startsWith("aaep_") && name !== "aaep_version"),
      );
      return reserved === undefined ? undefined : `An event has the field ${reserved}.`;
    },
  ),
  eachEvent(
    "P1-extension-prefix",
    "An event with extensions, or of a type of one, declares a further context, and uses no prefix that is AAEP's.",
    ["AAEP §3.4.3", "AAEP §7.3.2"],
    "No event with extensions came.",
    ({ type, extensions, "@context": context }) => {
      const [prefix = "", name] = wordsOf(type).split(":");
      const isForeign = name !== undefined && !name.startsWith("//") && !PREFIXES_OF_AAEP.has(prefix);
      if (extensions === undefined && !isForeign) return "not judged";
      if (extensions !== undefined) {
        if (typeof extensions !== "object" || extensions === null || Array.isArray(extensions))
          return "The extensions of an event are no object.";
        const reserved = Object.keys(extensions).find((name) => PREFIXES_OF_AAEP.has(name) || name.startsWith("@"));
        if (reserved !== undefined) return `The prefix ${reserved} is reserved.`;
      }
      return Array.isArray(context) && context.length > 1
        ? undefined
        : "An extension stands there, and no context of its own.";
    },
  ),
  eachEvent(
    "P1-language-declared",
    "An event with text for people says its language in localization_hints.primary_language.",
    ["AAEP §11.1"],
    "No event with text for people came.",
    (event) => {
      const hints = (event.localization_hints ?? {}) as Message;
      const others = [hints.available_languages, hints.fallback_chain, event.language].flat();
      const wrong = others.find((tag) => tag !== undefined && !isTag(tag));
      if (wrong !== undefined) return `${JSON.stringify(wrong)} is no language tag.`;
      if (!isSpoken(event)) return "not judged";
      return isTag(hints.primary_language)
        ? undefined
        : "An event with text has no language tag in localization_hints.primary_language.";
    },
  ),
  eachEvent(
    "P1-urgency",
    "session.errored, questions and handoff.requested have the urgency critical.",
    ["AAEP §4.1.3", "AAEP §5.5.4"],
    "No error, question or handoff came.",
    (event) => {
      if (isType(event, "session.errored", "awaiting.confirmation", "awaiting.clarification", "handoff.requested"))
        return event.urgency === "critical" ? undefined : `The urgency of ${wordsOf(event.type)} is not critical.`;
      return "not judged";
    },
  ),
  watching(
    "P1-summary-normal",
    "The events that are announced have a summary_normal, or the summary of the verbosity that was asked for.",
    ["AAEP §9.3.1", "AAEP §5.3.1.2"],
    "No event that is announced came.",
    ({ conversations }) => {
      let judged = 0;
      for (const conversation of conversations) {
        const fields = summaryFields(conversation);
        for (const { recorded, event } of heardEvents([conversation])) {
          if (!isType(event, ...ANNOUNCED)) continue;
          judged += 1;
          if (!fields.some((name) => typeof event[name] === "string" && event[name] !== ""))
            fail(`${wordsOf(event.type)} has ${fields.join(" or ")}.`, "It has none.", [evidenceOf(recorded)]);
        }
      }
      return judged;
    },
  ),
  watching("P1-json", "Every message is a JSON object.", ["AAEP §3.8", "AAEP §8.2.2"], unseen, ({ conversations }) => {
    const received = conversations.flatMap(({ record }) => record.filter(({ way }) => way === "received"));
    const strange = received.find(({ message }) => message === undefined);
    if (strange !== undefined) fail("Every message is a JSON object.", "One is not.", [evidenceOf(strange)]);
    return received.length;
  }),
  eachEvent(
    "P1-numbers",
    "No number of an event is an integer beyond 2^53, or too large for a double.",
    ["AAEP §3.8"],
    unseen,
    (_, text) => (hasHugeNumber(text) ? "An event has a number that no double is, and not as a string." : undefined),
  ),
  eachEvent(
    "P1-aaep-version",
    "aaep_version, where it stands, is a published version of the specification.",
    ["AAEP §3.4.4"],
    "No event with an aaep_version came.",
    ({ aaep_version: version }) => {
      if (version === undefined) return "not judged";
      return VERSIONS.has(version) ? undefined : `The aaep_version ${JSON.stringify(version)} was not published.`;
    },
  ),
  watching(
    "P1-event-id-unique",
    "No two events have the same event_id.",
    ["AAEP §3.2.3", "AAEP §8.2.4"],
    unseen,
    ({ conversations }) => {
      const known = new Map<string, HeardEvent>();
      const events = heardEvents(conversations);
      for (const conversation of conversations) {
        const seen = new Set<string>();
        for (const one of heardEvents([conversation])) {
          const id = wordsOf(one.event.event_id);
          const other = known.get(id);
          // A transport may repeat a message, and subscriptions may get one event in several shapes.
          const isAnother =
            other !== undefined &&
            (seen.has(id)
              ? other.recorded.text !== one.recorded.text
              : other.event.type !== one.event.type || other.event.session_id !== one.event.session_id);
          if (isAnother)
            fail("No two events have the same event_id.", `Two different events have the id ${id}.`, [
              evidenceOf(other.recorded),
              evidenceOf(one.recorded),
            ]);
          seen.add(id);
          known.set(id, one);
        }
      }
      return events.length;
    },
  ),
  eachSession(
    "P1-sequence-number",
    "sequence_number is 0 at session.started and rises with each event, by 1 where nothing is merged or kept back, or is on no event of the session.",
    ["AAEP §3.4.1"],
    "No event with a sequence_number came.",
    ({ events, isFromBeginning, isFiltered, isWhole }) => {
      if (isFiltered && !isWhole) return "not judged";
      const numbers = events.map(({ event }) => event.sequence_number);
      if (numbers.every((number) => number === undefined)) return "not judged";
      const without = numbers.indexOf(undefined);
      if (without !== -1) return { seen: "Some events of a session have no sequence_number.", places: [without] };
      for (let place = 1; place < numbers.length; place += 1) {
        const step = Number(wordsOf(numbers[place])) - Number(wordsOf(numbers[place - 1]));
        // A stream that is merged or filtered has holes (R16).
        if (step < 1 || (isWhole && step !== 1))
          return { seen: `${numbers[place]} follows ${numbers[place - 1]}.`, places: [place - 1, place] };
      }
      if (isFromBeginning && numbers[0] !== 0) return { seen: "A session begins with another number.", places: [0] };
      return undefined;
    },
  ),
];

function isTag(value: unknown): boolean {
  return typeof value === "string" && TAG.test(value);
}

/** Whether an event has text for people, in itself or in its progress or choices. */
function isSpoken(event: Message): boolean {
  const choices = Array.isArray(event.choices) ? (event.choices as readonly unknown[]) : [];
  const labels = choices.map((choice) => ((choice ?? {}) as Message).label);
  const texts = Object.entries(event).flatMap(([name, value]) => (SPOKEN.test(name) ? [value] : []));
  const { description } = (event.progress ?? {}) as Message;
  return [...texts, ...labels, description].some((value) => typeof value === "string" && value !== "");
}

/** The summaries that a conversation may get: summary_normal, and that of each verbosity that it asked for. */
function summaryFields({ record }: Conversation): readonly string[] {
  const asked = record.flatMap(({ way, message }) => {
    const { preferred_verbosity: verbosity } = capabilitiesIn(message);
    return way === "sent" && verbosity !== undefined ? [`summary_${wordsOf(verbosity)}`] : [];
  });
  return [...new Set(["summary_normal", ...asked])];
}

/** Read from the text: a parser has made the nearest double of a number already. */
function hasHugeNumber(text: string): boolean {
  const numbers = outsideStrings(text).match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.some((number) => !isCarried(number));
}

/** So many events, or sessions of one scenario, have different agents by no chance. */
const FEWEST_ALIKE = 3;

/** More than every second event, or session, has an agent of its own: no team of agents takes turns like that. */
function areOthers(events: readonly HeardEvent[]): boolean {
  return new Set(events.map(({ event }) => agentOf(event))).size > Math.max(events.length / 2, FEWEST_ALIKE - 1);
}

function namesVersion({ agent_id: id, agent_version: version }: Message): boolean {
  return typeof version === "string" && version.includes(".") && wordsOf(id).includes(version);
}

function agentOf({ producer }: Message): unknown {
  return ((producer ?? {}) as Message).agent_id;
}

function evidenceOfTwo(events: readonly HeardEvent[]): readonly Evidence[] {
  return events.slice(0, 2).map(({ recorded }) => evidenceOf(recorded));
}

/** The first event with an agent_id of each session that is surely a scenario's, by scenario. */
function firstsByScenario(heard: Heard): ReadonlyMap<string, readonly HeardEvent[]> {
  const seen = new Set<string>();
  const firsts = new Map<string, HeardEvent[]>();
  for (const { sessionId, events, isOwn } of heardSessions(heard)) {
    const scenario = heard.shown.get(sessionId)?.scenario;
    const first = events.find(({ event }) => agentOf(event) !== undefined);
    if (!isOwn || scenario === undefined || first === undefined || seen.has(sessionId)) continue;
    seen.add(sessionId);
    firsts.set(scenario, [...(firsts.get(scenario) ?? []), first]);
  }
  return firsts;
}
