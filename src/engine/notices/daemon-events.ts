// Events that the daemon itself makes for a session, complete as they go out (R31). What must not live here: when they are made and who gets them.
import type { EventId } from "../../base/ids.js";
import { derivedEventId, type IdServices } from "../event/derived-id.js";
import type { AgentEvent, Epoch, Producer, Urgency } from "../event/event.js";
import { AAEPD_VOCABULARY, CORE_VOCABULARY } from "../event/vocabularies.js";
import { catalogueLanguage } from "../messages/daemon-texts.js";
import { type LocalizedTexts, localizedTexts, type TextAudience } from "../messages/localized-texts.js";
import type { GapReason, MessageParameters } from "../messages/texts/catalogue.js";
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
  /** Of the event after which it stands, which makes its id a resume point (R12). */
  readonly epoch: Epoch;
  /** How many epochs after that it was made. Default 0. */
  readonly ahead?: number;
  /** `shapeKey` of the subscription it is made for; "" where it goes to all. */
  readonly shape: string;
  readonly audience: TextAudience;
}

interface Parts {
  readonly type: string;
  /** What the event is about: with session, shape and epoch it makes the id. */
  readonly about: string;
  readonly urgency: Urgency;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly texts?: LocalizedTexts;
  readonly marks?: Readonly<Record<string, unknown>>;
}

function build(facts: DaemonEventFacts, services: IdServices, parts: Parts): AgentEvent {
  const id: EventId = derivedEventId(
    {
      epoch: facts.epoch,
      endOffset: 0,
      sessionId: facts.sessionId,
      about: parts.about,
      start: 0,
      end: facts.ahead ?? 0,
      shape: facts.shape,
      boundaries: [],
    },
    services,
  );
  return {
    "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY],
    type: `aaep:agent.${parts.type}`,
    event_id: id,
    session_id: facts.sessionId,
    timestamp: facts.timestamp,
    producer: facts.producer,
    urgency: parts.urgency,
    ...(parts.texts === undefined ? {} : { localization_hints: parts.texts.hints }),
    ...parts.payload,
    ...parts.texts?.summaries,
    extensions: { aaepd: { by: "daemon", ...parts.marks } },
  };
}

/** What an agent is called in what the daemon says. */
export function speakerOf(producer: Producer): string {
  return shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
}

/** Where a session stands. */
export type SessionStanding = MessageParameters["sessionSummary"];

/** Sums a session up for a subscription that was not there (AAEP §8.7, R17): from `idle` to its state. */
export function summaryEvent(facts: DaemonEventFacts, services: IdServices, standing: SessionStanding): AgentEvent {
  return build(facts, services, {
    type: "state.changed",
    about: "summary",
    urgency: "normal",
    payload: { from_state: "idle", to_state: standing.state },
    texts: localizedTexts(facts.audience, "sessionSummary", () => standing),
    marks: { summary: true },
  });
}

export interface Gap {
  /** The last event of the session before the gap; undefined where none was delivered. */
  readonly afterEventId: string | undefined;
  /** At most so many events are missing. */
  readonly eventCount: number;
  readonly reason: GapReason;
  readonly fromState: string;
  readonly toState: string;
}

/** Declares what can no longer be given (R27). */
export function gapEvent(facts: DaemonEventFacts, services: IdServices, gap: Gap): AgentEvent {
  const { afterEventId, eventCount, reason } = gap;
  return build(facts, services, {
    type: "state.changed",
    about: `gap ${afterEventId ?? ""} ${eventCount} ${reason}`,
    urgency: "normal",
    payload: { from_state: gap.fromState, to_state: gap.toState },
    texts: localizedTexts(facts.audience, "gap", () => ({ eventCount, reason })),
    marks: {
      gap: { ...(afterEventId === undefined ? {} : { after_event_id: afterEventId }), events: eventCount, reason },
    },
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
  services: IdServices,
  asked: QuestionFacts & { readonly fromState: unknown },
): AgentEvent {
  const { question, askingIn } = asked;
  const agent = speakerOf(facts.producer);
  return build(facts, services, {
    type: "state.changed",
    about: `notice ${question.event_id}`,
    urgency: "critical",
    payload: { from_state: asked.fromState, to_state: "awaiting_input" },
    texts: localizedTexts(facts.audience, "questionNotice", (language, form) => {
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
