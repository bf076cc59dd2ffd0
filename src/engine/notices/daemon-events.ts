// Events that the daemon itself makes for a session, complete as they go out (R31). What must not live here: when they are made and who gets them.
import type { AgentEvent, Producer, Urgency } from "../event/event.js";
import { AAEPD, AAEPD_VOCABULARY, AGENT_TYPE, BY_DAEMON, CORE_VOCABULARY } from "../event/vocabulary.js";
import type { GapReason, MessageParameters } from "../messages/catalogues/catalogue.js";
import { catalogueLanguage } from "../messages/daemon-messages.js";
import { type LocalizedMessages, localizedMessages, type TextAudience } from "../messages/localized-messages.js";
import { shortenedText } from "../text/shortened-text.js";
import type { AskingIn } from "./asking.js";

/** Most UTF-16 units of an agent's name in what the daemon says. */
const NAME_LENGTH = 400;

/** What every event of the daemon's needs to know. */
export interface DaemonEventFacts {
  readonly sessionId: string;
  /** The session's agent: the daemon speaks in its place and says so in `extensions.aaepd.by`. */
  readonly producer: Producer;
  /** RFC 3339; not before the session's last one (R3b). */
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

/** What an agent is called in what the daemon says. */
export function speakerOf(producer: Producer): string {
  return shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
}

/** Where a session stands. */
export type SessionSituation = MessageParameters["sessionSummary"];

/** The part of a session that can no longer be given (R27). */
export interface Loss {
  /** At most so many events are missing. */
  readonly eventCount: number;
  readonly reason: GapReason;
}

/** Sums a session up for a subscription that was not there (AAEP §8.7, R17): from `idle` to its state. A loss is declared with it. */
export function summaryEvent(facts: DaemonEventFacts, standing: SessionSituation, lost: Loss | undefined): AgentEvent {
  const summary = localizedMessages(facts.audience, "sessionSummary", () => standing);
  return build(facts, {
    type: "state.changed",
    urgency: "normal",
    payload: { from_state: "idle", to_state: standing.state },
    texts:
      lost === undefined
        ? summary
        : { ...summary, summaries: joined(lossMessages(facts, lost).summaries, summary.summaries) },
    marks: { summary: true, ...(lost === undefined ? {} : { gap: gapMark(lost) }) },
  });
}

/** Text by text: both are in the same languages. */
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
  return { events: eventCount, reason };
}

export interface Gap extends Loss {
  readonly fromState: string;
  readonly toState: string;
}

/** Declares what can no longer be given (R27). */
export function gapEvent(facts: DaemonEventFacts, gap: Gap): AgentEvent {
  return build(facts, {
    type: "state.changed",
    urgency: "normal",
    payload: { from_state: gap.fromState, to_state: gap.toState },
    texts: lossMessages(facts, gap),
    marks: { gap: gapMark(gap) },
  });
}

export interface QuestionFacts {
  /** The awaiting event, as it was published. */
  readonly question: AgentEvent;
  readonly askingIn: AskingIn;
}

/** Tells those that cannot answer what is being asked (R6). `extensions.aaepd.asks` says whom it concerns. */
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

/** Texts in every language, for events that are journaled and shaped for each subscription later. */
export function everyLanguage(defaultLanguage: string): TextAudience {
  return { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) };
}
