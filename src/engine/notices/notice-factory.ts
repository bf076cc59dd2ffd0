// Makes the daemon's own events from the engine's facts and the message catalogues (R6, R17, R27, R31).
import type { IdSource } from "../../base/ids.js";
import type { AgentEvent, JournaledEvent, NewEvent, Producer } from "../event/event.js";
import type { MessageKey, Outcome } from "../messages/catalogues/catalogue.js";
import { localizedMessages, type ParametersFor } from "../messages/localized-messages.js";
import type { ReminderPoint } from "../questions/pending-question.js";
import type { QuestionResult } from "../questions/question-result.js";
import type { EndedBecause, MadeSummary } from "../sessions/change.js";
import type { Resolution } from "../sessions/session-questions.js";
import type { OpenQuestion, SessionSummary } from "../sessions/session-record.js";
import type { Terms } from "../terms/terms.js";
import { createAskingIn } from "./asking.js";
import {
  type DaemonEventFacts,
  everyLanguage,
  gapEvent,
  type Loss,
  noticeEvent,
  speakerOf,
  summaryEvent,
} from "./daemon-events.js";

export interface NoticeFactory {
  readonly madeSummary: MadeSummary;
  /**
   * The sum of a session; it declares `lost` as well. `isAsking`: the question of the session follows, so the sum has the state before it (R17).
   */
  readonly summary: (session: SessionSummary, terms: Terms, lost: Loss | undefined, isAsking: boolean) => AgentEvent;
  /** Declares a loss by itself, at a session that may be over (R27). */
  readonly gap: (
    session: { readonly sessionId: string; readonly producer: Producer; readonly timestamp: string },
    terms: Terms,
    lost: Loss,
  ) => AgentEvent;
  /**
   * The notice that follows a question in the journal, for subscriptions that cannot answer it. `fromState` is the last state reported of its agent
   * (R6).
   */
  readonly notice: (question: JournaledEvent, fromState: unknown) => NewEvent;
  /** The same notice for one subscription that was not there when the question was asked (R6). */
  readonly lateNotice: (question: JournaledEvent, session: SessionSummary, terms: Terms) => AgentEvent;
  readonly resolution: (question: OpenQuestion, result: QuestionResult) => Resolution;
  /** The fields of a reminder of an open question, for all subscriptions (AAEP §6.4.3). */
  readonly reminder: (
    question: OpenQuestion,
    passed: ReminderPoint,
    remainingSeconds: number,
  ) => Readonly<Record<string, unknown>>;
}

export function createNoticeFactory(ids: IdSource, defaultLanguage: string): NoticeFactory {
  const everyone = everyLanguage(defaultLanguage);
  const askingIn = createAskingIn(defaultLanguage);

  const factsFor = (
    of: { sessionId: string; producer: Producer; timestamp: string },
    terms: Terms,
  ): DaemonEventFacts => ({
    eventId: `evt_${ids.hex(16)}`,
    sessionId: of.sessionId,
    producer: of.producer,
    timestamp: of.timestamp,
    // A listener whose languages have no catalogue gets the default language.
    audience: { kind: "listener", languages: [...terms.languages, defaultLanguage] },
  });

  /** A message in every language as members of an event, with its language (AAEP §11.1). */
  const membersOf = <Key extends MessageKey>(key: Key, parametersFor: ParametersFor<Key>) => {
    const { summaries, hints } = localizedMessages(everyone, key, parametersFor);
    return { ...summaries, localization_hints: hints };
  };

  const resolutionMessages = (outcome: Outcome, question: AgentEvent) =>
    membersOf("resolution", (language) => {
      const { terse, defaultAnswer } = askingIn(question, language);
      return { ...outcome, asking: terse, defaultAnswer };
    });

  const madeSummary: MadeSummary = (text) => {
    switch (text.kind) {
      case "tool_abandoned":
        return membersOf("toolAbandoned", () => ({ tool: text.tool }));
      case "question_withdrawn":
        return resolutionMessages({ decision: "cancelled", decidedBy: text.decidedBy }, text.question);
      case "agent_disconnected":
        return membersOf(END_MESSAGES[text.because], () => ({ agent: speakerOf(text.producer) }));
    }
  };

  return {
    madeSummary,
    summary: (session, terms, lost, isAsking) =>
      summaryEvent(
        factsFor(session, terms),
        {
          state: isAsking ? session.stateBeforeQuestion : session.state,
          toolsRunningCount: session.openTools.length,
          outputOpen: session.openOutputs.length > 0,
          questionOpen: !isAsking && session.openQuestions.length > 0,
          percent: session.percent,
        },
        lost,
      ),
    gap: (of, terms, lost) => gapEvent(factsFor(of, terms), lost),
    notice: (question, fromState) => {
      const { event } = question;
      const facts: DaemonEventFacts = {
        sessionId: event.session_id,
        producer: event.producer,
        timestamp: event.timestamp,
        eventId: `evt_${ids.hex(16)}`,
        audience: everyone,
      };
      return {
        event: noticeEvent(facts, { question: event, askingIn, fromState }),
        kind: "state.changed",
        source: undefined,
        at: question.at,
        ordinal: question.ordinal,
        made: "notice",
      };
    },
    lateNotice: (question, session, terms) =>
      noticeEvent(
        { ...factsFor(session, terms), producer: question.event.producer },
        {
          question: question.event,
          askingIn,
          fromState: "awaiting_input",
        },
      ),
    resolution: (question, result) => {
      const outcome = outcomeOf(question, result);
      return {
        token: question.token,
        outcome: outcome.decision,
        isAcceptedByReply: result.resolvedBy === "reply" && result.decision === "accept",
        isRejected: result.decision === "reject",
        summary: resolutionMessages(outcome, question.event),
        marks: { question: question.event.event_id, decision: outcome.decision, decided_by: outcome.decidedBy },
      };
    },
    reminder: (question, passed, remainingSeconds) => ({
      urgency: "normal",
      progress: { percent: passed === "half" ? 50 : 90 },
      ...membersOf("countdown", (language) => ({
        passed,
        remainingSeconds,
        asking: askingIn(question.event, language).terse,
      })),
    }),
  };
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
