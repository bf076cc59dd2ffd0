// Complete events that the daemon makes for a session (R31). Other rooms decide when an event is made, and which subscriptions get it.
import type { AgentEvent, Producer, Urgency } from "../event/event.js";
import { AAEPD, AAEPD_VOCABULARY, AGENT_TYPE, BY_DAEMON, CORE_VOCABULARY } from "../event/vocabulary.js";
import type { GapReason, MessageParameters } from "../messages/catalogues/catalogue.js";
import { catalogueLanguage } from "../messages/daemon-messages.js";
import { type LocalizedMessages, localizedMessages, type TextAudience } from "../messages/localized-messages.js";
import { shortenedText } from "../text/shortened-text.js";
import type { AskingIn } from "./asking.js";

/** Most UTF-16 units of an agent's name in the daemon's texts. */
const NAME_LENGTH = 400;

/** The facts that each event of the daemon needs. */
export interface DaemonEventFacts {
  readonly sessionId: string;
  /** The session's agent. The event has its producer, and `extensions.aaepd.by` says that the daemon made it. */
  readonly producer: Producer;
  /** RFC 3339; not before the session's latest timestamp (R3b). */
  readonly timestamp: string;
  /** Random for one subscription; derived for the journal (R12). */
  readonly eventId: string;
  readonly audience: TextAudience;
}

interface Parts {
  readonly type: string;
  readonly urgency: Urgency;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly texts?: LocalizedMessages;
  readonly marks?: Readonly<Record<string, unknown>>;
}

function build(facts: DaemonEventFacts, parts: Parts): AgentEvent {
  return {
    "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY],
    type: `${AGENT_TYPE}${parts.type}`,
    event_id: facts.eventId,
    session_id: facts.sessionId,
    timestamp: facts.timestamp,
    producer: facts.producer,
    urgency: parts.urgency,
    ...(parts.texts === undefined ? {} : { localization_hints: parts.texts.hints }),
    ...parts.payload,
    ...parts.texts?.summaries,
    extensions: { [AAEPD]: { by: BY_DAEMON, ...parts.marks } },
  };
}

/** The agent's name in the daemon's texts. */
export function speakerOf(producer: Producer): string {
  return shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
}

/** The state of a session for its summary. */
export type SessionSituation = MessageParameters["sessionSummary"];

/** The part of a session that can no longer be delivered (R27). */
export interface Loss {
  /** Upper bound of the missing events; undefined if it is not known. */
  readonly eventCount: number | undefined;
  readonly reason: GapReason;
}

/** Summarizes a session for a subscription that was not there (AAEP §8.7, R17): a change from `idle` to its state. Declares `lost` as well. */
export function summaryEvent(facts: DaemonEventFacts, situation: SessionSituation, lost: Loss | undefined): AgentEvent {
  const summary = localizedMessages(facts.audience, "sessionSummary", () => situation);
  return build(facts, {
    type: "state.changed",
    urgency: "normal",
    payload: { from_state: "idle", to_state: situation.state },
    texts:
      lost === undefined
        ? summary
        : { ...summary, summaries: joined(lossMessages(facts, lost).summaries, summary.summaries) },
    marks: { summary: true, ...(lost === undefined ? {} : { gap: gapMark(lost) }) },
  });
}

/** Joins the texts field by field; both are in the same languages. */
function joined(
  first: LocalizedMessages["summaries"],
  second: LocalizedMessages["summaries"],
): LocalizedMessages["summaries"] {
  return Object.fromEntries(Object.entries(first).map(([field, text]) => [field, `${text} ${second[field] ?? ""}`]));
}

function lossMessages(facts: DaemonEventFacts, { eventCount, reason }: Loss): LocalizedMessages {
  return localizedMessages(facts.audience, "gap", () => ({ eventCount, reason }));
}

function gapMark({ eventCount, reason }: Loss): Readonly<Record<string, unknown>> {
  return eventCount === undefined ? { reason } : { reason, events: eventCount };
}

/** Declares events that can no longer be delivered (R27). */
export function gapEvent(facts: DaemonEventFacts, gap: Loss): AgentEvent {
  return build(facts, {
    type: "state.changed",
    urgency: "normal",
    payload: { from_state: "idle", to_state: "idle" },
    texts: lossMessages(facts, gap),
    marks: { gap: gapMark(gap) },
  });
}

export interface QuestionFacts {
  /** The event that asks, as it was published. */
  readonly question: AgentEvent;
  readonly askingIn: AskingIn;
}

/** Reports a question to subscriptions that cannot answer it (R6). `extensions.aaepd.asks` has the kind of the question. */
export function noticeEvent(
  facts: DaemonEventFacts,
  asked: QuestionFacts & { readonly fromState: unknown },
): AgentEvent {
  const { question, askingIn } = asked;
  const agent = speakerOf(facts.producer);
  return build(facts, {
    type: "state.changed",
    urgency: "critical",
    payload: { from_state: asked.fromState, to_state: "awaiting_input" },
    texts: localizedMessages(facts.audience, "questionNotice", (language, form) => {
      const asking = askingIn(question, language);
      return { agent, kind: asking.kind, asking: asking[form] };
    }),
    marks: { asks: question.action === undefined ? "clarification" : "confirmation", question: question.event_id },
  });
}

/** Texts in every language, for events that are journaled and shaped later. */
export function everyLanguage(defaultLanguage: string): TextAudience {
  return { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) };
}
