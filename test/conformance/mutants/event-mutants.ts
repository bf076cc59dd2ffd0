// Producers that break the envelope, sessions and streamed text (chapters 3, 4 and 11). What a case sees in the events of one subscription is broken by
// the rows of `watching-cases.test.ts`.
import type { Deviations } from "./deviation.js";
import { eventsFollowed, leaving, nothing, told } from "./forms.js";
import { isChunk, isEvent, isKind, isTerminal, type Message, record, session, text } from "./messages.js";

const otherLanguage = (tag: unknown): string => (text(tag).toLowerCase().startsWith("en") ? "de-DE" : "en-US");
const hintsOf = (event: Message): Message => record(event.localization_hints);

export const EVENTS: Deviations = {
  // AAEP §3.2.3: event_id MUST be unique; every second event of a session carries that of the one before it.
  "event-id-reused": eventsFollowed(() => {
    const last = new Map<string, unknown>();
    return (event) => {
      const event_id = last.get(session(event));
      if (last.delete(session(event))) return { ...event, event_id };
      last.set(session(event), event.event_id);
      return event;
    };
  }),
  // AAEP §3.2.6.1: agent_id stays over the sessions of an agent; each session has its own.
  "agent-of-the-session": told(isEvent, (event) => ({
    ...event,
    producer: { ...record(event.producer), agent_id: session(event) },
  })),
  // AAEP §11.1.1: primary_language is the language the texts are written in; another one is named.
  "language-label-wrong": told(
    (event) => isEvent(event) && "primary_language" in hintsOf(event),
    (event) => ({
      ...event,
      localization_hints: { ...hintsOf(event), primary_language: otherLanguage(hintsOf(event).primary_language) },
    }),
  ),
  // AAEP §3.3.1: verbosity names the level of the texts in the event; it names another.
  "verbosity-label-wrong": told(isEvent, (event) => ({
    ...event,
    verbosity: event.verbosity === "detailed" ? "terse" : "detailed",
  })),
  // AAEP §4.5.1: a session MUST end with a terminal event; it is not sent.
  "session-never-ends": told(isTerminal, nothing),
  // AAEP §4.1.3: session.errored requires error_category; the field is left out.
  "errored-without-category": told((event) => isKind(event, "agent.session.errored"), leaving("error_category")),
  // AAEP §4.4.3: handoff.requested never comes.
  "handoff-not-told": told((event) => isKind(event, "agent.handoff.requested"), nothing),
  // AAEP §4.3.3: chunks carry the output without loss up to the next position; white space at their end is cut off.
  "last-space-trimmed": told(isChunk, (event) => ({ ...event, chunk: text(event.chunk).trimEnd() })),
  // AAEP §9.3.1(6): coalesce_hint is set on output at granular boundaries; it is left out.
  "coalesce-hint-missing": told(isChunk, leaving("coalesce_hint")),
};
