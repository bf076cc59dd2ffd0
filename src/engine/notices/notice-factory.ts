// Makes the daemon's own events from the engine's facts and the message catalogues (R6, R17, R27, R31).
import type { IdSource } from "../../base/ids.js";
import { type Members, textOf } from "../../base/members.js";
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { AgentEvent, JournaledEvent, NewEvent, Producer, QuestionKind, Urgency } from "../event/event.js";
import {
  type DefaultAnswer,
  everyLanguage,
  type GapReason,
  type LocalizedMessages,
  localizedMessages,
  type MessageKey,
  type Outcome,
  type ParametersFor,
  type TextAudience,
} from "../messages/messages.js";
import { WORDINGS } from "../messages/wording.js";
import type { ReminderPoint } from "../questions/pending-question.js";
import type { QuestionResult } from "../questions/question-result.js";
import { type EndedBecause, type MadeText, madeEvent } from "../sessions/change.js";
import { choiceOf, responseKinds } from "../sessions/response-kinds.js";
import type { Resolution } from "../sessions/session-questions.js";
import type { OpenQuestion, SessionSummary } from "../sessions/session-record.js";
import type { CatalogueLanguage } from "../terms/language.js";
import { hasVariants } from "../terms/readable-fields.js";
import { applyShape } from "../terms/shape.js";
import type { Terms } from "../terms/terms.js";
import { shortenedText } from "../text/shortened-text.js";

const TERSE_ASKING_LENGTH = 400;
const NORMAL_ASKING_LENGTH = 4000;

/** A question as a notice quotes it. */
interface Asking {
  readonly kind: QuestionKind;
  /** The action, or the question; at most 400 characters. */
  readonly terse: string;
  /** The action or question with its consequence; at most 4,000 characters. */
  readonly normal: string;
  /** The default answer of a clarification, at most 400 characters; undefined if it has none. */
  readonly defaultAnswer: DefaultAnswer | undefined;
}

/** The parts end as sentences of the language in which they are quoted. */
function quoted(question: AgentEvent, language: CatalogueLanguage): Asking {
  const isConfirmation = question.action !== undefined;
  // Each part is shortened before it is quoted: the beginning of a quoted text would keep the whole of it in memory.
  const quoteOf = (longest: number, fields: readonly string[]): string =>
    shortenedText(
      WORDINGS[language].quoted(...fields.map((field) => shortenedText(textOf(question[field]), longest))),
      longest,
    );
  const [first, ...more] = isConfirmation ? (["action", "consequence"] as const) : (["question"] as const);
  return {
    kind: isConfirmation ? "confirmation" : "clarification",
    terse: quoteOf(TERSE_ASKING_LENGTH, [first]),
    normal: quoteOf(NORMAL_ASKING_LENGTH, [first, ...more]),
    defaultAnswer: isConfirmation ? undefined : defaultAnswerOf(question),
  };
}

/** A default that is a choice is named by its label, which the person has heard. */
function defaultAnswerOf(question: AgentEvent): DefaultAnswer | undefined {
  const { default_response: response } = question;
  if (typeof response !== "string" || response === "") return undefined;
  const label = choiceOf(response, question)?.label;
  const kinds = responseKinds(question);
  if (label === undefined && kinds.includes("yes_no") && !kinds.includes("freetext")) {
    if (response === "true") return { kind: "yes" };
    if (response === "false") return { kind: "no" };
  }
  return { kind: "text", text: shortenedText(typeof label === "string" ? label : response, TERSE_ASKING_LENGTH) };
}

/** Members that an event of the daemon takes over, from a session or from another event of it. */
interface Origin {
  readonly sessionId: string;
  readonly producer: Producer;
  readonly timestamp: string;
}

/** The part of a session that can no longer be delivered (R27). */
export interface Loss {
  /** Upper bound of the missing events; undefined if it is not known. */
  readonly eventCount: number | undefined;
  readonly reason: GapReason;
}

/** Most UTF-16 units of an agent's name in the daemon's texts. */
const NAME_LENGTH = 400;

export class NoticeFactory {
  private readonly ids: IdSource;
  private readonly defaultLanguage: string;
  private readonly everyone: TextAudience;

  constructor(ids: IdSource, defaultLanguage: string) {
    this.ids = ids;
    this.defaultLanguage = defaultLanguage;
    this.everyone = everyLanguage(defaultLanguage);
  }

  /** The readable members of an event that the daemon makes in an agent's place, `summary_normal` among them (R31). */
  madeSummary(text: MadeText): Members {
    switch (text.kind) {
      case "tool_abandoned":
        return this.membersOf("toolAbandoned", () => ({ tool: text.tool }));
      case "question_withdrawn":
        return this.resolutionMembers({ decision: "cancelled", decidedBy: text.decidedBy }, text.question);
      case "agent_disconnected":
        return this.membersOf(END_MESSAGES[text.because], () => ({ agent: speakerOf(text.producer) }));
    }
  }

  /**
   * Summarizes a session for a subscription that was not there (AAEP §8.7, R17): a change from `idle` to its state. Declares `lost` as well.
   * `isAsking`: the question of the session follows, so the sum has the state before it.
   */
  summary(session: SessionSummary, terms: Terms, lost: Loss | undefined, isAsking: boolean): AgentEvent {
    const state = isAsking ? session.stateBeforeQuestion : session.state;
    const sum = localizedMessages(this.listenerOf(terms), "sessionSummary", () => ({
      state,
      toolsRunningCount: session.openTools.length,
      outputOpen: session.openOutputs.length > 0,
      questionOpen: !isAsking && session.openQuestions.length > 0,
      percent: session.percent,
    }));
    const change = { urgency: "normal", from_state: "idle", to_state: state } as const;
    if (lost === undefined) return this.stateEvent(session, change, sum, { summary: true });
    const gap = localizedMessages(this.listenerOf(terms), "gap", () => lost);
    const texts = {
      ...sum,
      summary_terse: `${gap.summary_terse} ${sum.summary_terse}`,
      summary_normal: `${gap.summary_normal} ${sum.summary_normal}`,
    };
    const marks = { summary: true, gap: gapMark(lost) };
    return this.stateEvent(session, change, texts, marks);
  }

  /** Declares a loss by itself, at a session that may be over (R27). */
  gap(session: Origin, terms: Terms, lost: Loss): AgentEvent {
    const texts = localizedMessages(this.listenerOf(terms), "gap", () => lost);
    const change = { urgency: "normal", from_state: "idle", to_state: "idle" } as const;
    return this.stateEvent(session, change, texts, { gap: gapMark(lost) });
  }

  /**
   * The notice that follows a question in the journal, for subscriptions that cannot answer it. `fromState` is the last state reported of its agent
   * (R6).
   */
  notice({ event, at, ordinal }: JournaledEvent, fromState: unknown): NewEvent {
    const { session_id: sessionId, producer, timestamp } = event;
    const notice = this.noticeEvent({ sessionId, producer, timestamp }, event, fromState, this.everyone);
    return { event: notice, kind: "state.changed", source: undefined, at, ordinal, made: "notice" };
  }

  /** The same notice for one subscription that was not there when the question was asked (R6). */
  lateNotice({ event }: JournaledEvent, session: SessionSummary, terms: Terms): AgentEvent {
    const { sessionId, timestamp } = session;
    const origin = { sessionId, producer: event.producer, timestamp };
    return this.noticeEvent(origin, event, AWAITING_INPUT, this.listenerOf(terms));
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
  reminder({ event }: OpenQuestion, passed: ReminderPoint, remainingSeconds: number): Members {
    return {
      urgency: "normal",
      progress: { percent: passed === "half" ? 50 : 90 },
      ...this.membersOf("countdown", (language) => {
        return { passed, remainingSeconds, asking: this.askingIn(event, language).terse };
      }),
    };
  }

  /** A listener whose languages have no catalogue gets the default language. */
  private listenerOf({ languages }: Terms): TextAudience {
    return { kind: "listener", languages: [...languages, this.defaultLanguage] };
  }

  /** Reports a question to subscriptions that cannot answer it (R6). `extensions.aaepd.asks` has the kind of the question. */
  private noticeEvent(origin: Origin, question: AgentEvent, fromState: unknown, audience: TextAudience): AgentEvent {
    const agent = speakerOf(origin.producer);
    const texts = localizedMessages(audience, "questionNotice", (language, form) => {
      const asking = this.askingIn(question, language);
      return { agent, kind: asking.kind, asking: asking[form] };
    });
    const marks = {
      asks: question.action === undefined ? "clarification" : "confirmation",
      question: question.event_id,
    };
    const change = { urgency: "critical", from_state: fromState, to_state: AWAITING_INPUT } as const;
    return this.stateEvent(origin, change, texts, marks);
  }

  private stateEvent(
    { sessionId, producer, timestamp }: Origin,
    change: { readonly urgency: Urgency; readonly from_state: unknown; readonly to_state: string },
    texts: LocalizedMessages,
    marks: Members,
  ): AgentEvent {
    const eventId = `evt_${this.ids.hex(16)}`;
    return madeEvent({ sessionId, producer, timestamp, eventId }, "state.changed", { ...change, ...texts }, marks);
  }

  private membersOf<Key extends MessageKey>(key: Key, parametersFor: ParametersFor<Key>): Members {
    return localizedMessages(this.everyone, key, parametersFor);
  }

  private resolutionMembers(outcome: Outcome, question: AgentEvent): Members {
    return this.membersOf("resolution", (language) => {
      const { terse, defaultAnswer } = this.askingIn(question, language);
      return { ...outcome, asking: terse, defaultAnswer };
    });
  }

  /** The words of a question in a language of the catalogues: the question's own variant if it has one. */
  private askingIn(question: AgentEvent, language: CatalogueLanguage): Asking {
    const shape = { verbosity: "normal", languages: [language] } as const;
    return quoted(hasVariants(question) ? applyShape(question, shape, this.defaultLanguage) : question, language);
  }
}

function gapMark({ eventCount, reason }: Loss): Members {
  return eventCount === undefined ? { reason } : { reason, events: eventCount };
}

/** The agent's name in the daemon's texts. */
function speakerOf(producer: Producer): string {
  return shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
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
