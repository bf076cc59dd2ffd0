// Makes the daemon's own events from the engine's facts and the message catalogues (R6, R17, R27, R31).
import type { IdSource } from "../../base/ids.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { AgentEvent, JournaledEvent, NewEvent, Producer } from "../event/event.js";
import { localizedMessages, type ParametersFor, type TextAudience } from "../messages/localized-messages.js";
import type { MessageKey, Outcome } from "../messages/messages.js";
import type { ReminderPoint } from "../questions/pending-question.js";
import type { QuestionResult } from "../questions/question-result.js";
import type { EndedBecause, MadeText } from "../sessions/change.js";
import type { Resolution } from "../sessions/session-questions.js";
import type { OpenQuestion, SessionSummary } from "../sessions/session-record.js";
import type { Terms } from "../terms/terms.js";
import { type AskingIn, createAskingIn } from "./asking.js";
import {
  type DaemonEventFacts,
  everyLanguage,
  gapEvent,
  type Loss,
  noticeEvent,
  speakerOf,
  summaryEvent,
} from "./daemon-events.js";

type Fields = Readonly<Record<string, unknown>>;

/** Members that an event of the daemon takes over, from a session or from another event of it. */
interface Origin {
  readonly sessionId: string;
  readonly producer: Producer;
  readonly timestamp: string;
}

export class NoticeFactory {
  private readonly ids: IdSource;
  private readonly defaultLanguage: string;
  private readonly everyone: TextAudience;
  private readonly askingIn: AskingIn;

  constructor(ids: IdSource, defaultLanguage: string) {
    this.ids = ids;
    this.defaultLanguage = defaultLanguage;
    this.everyone = everyLanguage(defaultLanguage);
    this.askingIn = createAskingIn(defaultLanguage);
  }

  /** The readable members of an event that the daemon makes in an agent's place, `summary_normal` among them (R31). */
  madeSummary(text: MadeText): Fields {
    switch (text.kind) {
      case "tool_abandoned":
        return this.membersOf("toolAbandoned", () => ({ tool: text.tool }));
      case "question_withdrawn":
        return this.resolutionMembers({ decision: "cancelled", decidedBy: text.decidedBy }, text.question);
      case "agent_disconnected":
        return this.membersOf(END_MESSAGES[text.because], () => ({ agent: speakerOf(text.producer) }));
    }
  }

  /** The sum of a session; it declares `lost` as well. `isAsking`: the question of the session follows, so the sum has the state before it (R17). */
  summary(session: SessionSummary, terms: Terms, lost: Loss | undefined, isAsking: boolean): AgentEvent {
    const situation = {
      state: isAsking ? session.stateBeforeQuestion : session.state,
      toolsRunningCount: session.openTools.length,
      outputOpen: session.openOutputs.length > 0,
      questionOpen: !isAsking && session.openQuestions.length > 0,
      percent: session.percent,
    };
    return summaryEvent(this.factsFor(session, terms), situation, lost);
  }

  /** Declares a loss by itself, at a session that may be over (R27). */
  gap(session: Origin, terms: Terms, lost: Loss): AgentEvent {
    return gapEvent(this.factsFor(session, terms), lost);
  }

  /**
   * The notice that follows a question in the journal, for subscriptions that cannot answer it. `fromState` is the last state reported of its agent
   * (R6).
   */
  notice({ event, at, ordinal }: JournaledEvent, fromState: unknown): NewEvent {
    const { session_id: sessionId, producer, timestamp } = event;
    const facts = { sessionId, producer, timestamp, eventId: this.eventId(), audience: this.everyone };
    const notice = noticeEvent(facts, event, fromState, this.askingIn);
    return { event: notice, kind: "state.changed", source: undefined, at, ordinal, made: "notice" };
  }

  /** The same notice for one subscription that was not there when the question was asked (R6). */
  lateNotice({ event }: JournaledEvent, session: SessionSummary, terms: Terms): AgentEvent {
    const facts = { ...this.factsFor(session, terms), producer: event.producer };
    return noticeEvent(facts, event, AWAITING_INPUT, this.askingIn);
  }

  resolution(question: OpenQuestion, result: QuestionResult): Resolution {
    const outcome = outcomeOf(question, result);
    return {
      token: question.token,
      outcome: outcome.decision,
      isAcceptedByReply: result.resolvedBy === "reply" && result.decision === "accept",
      isRejected: result.decision === "reject",
      summary: this.resolutionMembers(outcome, question.event),
      marks: { question: question.event.event_id, decision: outcome.decision, decided_by: outcome.decidedBy },
    };
  }

  /** The fields of a reminder of an open question, for all subscriptions (AAEP §6.4.3). */
  reminder({ event }: OpenQuestion, passed: ReminderPoint, remainingSeconds: number): Fields {
    return {
      urgency: "normal",
      progress: { percent: passed === "half" ? 50 : 90 },
      ...this.membersOf("countdown", (language) => {
        return { passed, remainingSeconds, asking: this.askingIn(event, language).terse };
      }),
    };
  }

  private eventId(): string {
    return `evt_${this.ids.hex(16)}`;
  }

  private factsFor({ sessionId, producer, timestamp }: Origin, terms: Terms): DaemonEventFacts {
    // A listener whose languages have no catalogue gets the default language.
    const audience = { kind: "listener", languages: [...terms.languages, this.defaultLanguage] } as const;
    return { eventId: this.eventId(), sessionId, producer, timestamp, audience };
  }

  /** A message in every language as members of an event, with its language (AAEP §11.1). */
  private membersOf<Key extends MessageKey>(key: Key, parametersFor: ParametersFor<Key>): Fields {
    const { summaries, hints } = localizedMessages(this.everyone, key, parametersFor);
    return { ...summaries, localization_hints: hints };
  }

  private resolutionMembers(outcome: Outcome, question: AgentEvent): Fields {
    return this.membersOf("resolution", (language) => {
      const { terse, defaultAnswer } = this.askingIn(question, language);
      return { ...outcome, asking: terse, defaultAnswer };
    });
  }
}
/** The terms of the catalogues. */
const DECIDED_BY = {
  reply: "reply",
  timeout: "timeout",
  no_subscriber: "nobody_to_ask",
  subscription_ended: "nobody_left",
  host: "host",
} as const;

function outcomeOf(question: OpenQuestion, result: QuestionResult): Outcome {
  if (result.resolvedBy === "cancelled")
    return { decision: "cancelled", decidedBy: result.isLeftToHost === true ? "host_window" : "agent" };
  const decidedBy = DECIDED_BY[result.resolvedBy];
  if (question.kind === "confirmation") {
    return { decision: result.decision === "accept" ? "accepted" : "rejected", decidedBy };
  }
  return { decision: result.resolvedBy === "reply" ? "answered" : "unanswered", decidedBy };
}

const END_MESSAGES = {
  connection_lost: "agentDisconnected",
  not_back: "agentNotBack",
  daemon_stopped: "daemonStopped",
} as const satisfies Record<EndedBecause, string>;
