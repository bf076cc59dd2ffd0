// Open questions: who can be asked, until when, and the one outcome of each (AAEP ch. 6, R6, R7, R19).
// Not here: how a question is announced (agents, notices) and what it does to its session (sessions).
import { Fault } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { JournaledEvent } from "../event/event.js";
import { NO_DURABLE_STATE } from "../journal/no-durable-state.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import { forgetQuestion, keepQuestion } from "./durable-questions.js";
import { createOutcomeAudit } from "./outcome-audit.js";
import {
  type CountedReply,
  createPending,
  createUntold,
  type Decision,
  isAnswerable,
  type Pending,
  secondsOf,
} from "./pending-question.js";
import { createQuestionAudience } from "./question-audience.js";
import { createQuestionOutcomes } from "./question-outcomes.js";
import {
  askedOf,
  CANCELLED,
  type DefaultedBy,
  type QuestionResult,
  resultOfDefault,
  resultOfHost,
  resultOfReply,
} from "./question-result.js";
import type { Questions, QuestionsOptions, Replier } from "./questions-spec.js";
import { faultOfReply, type Reply } from "./reply-check.js";
import { createShownQuestions } from "./shown-questions.js";

/** Why a default is tried again that was decided and could not be written. */
const UNWRITTEN = new Fault("storage_unavailable", "The journal did not take it.", { rule: "R29", origin: "local" });

/** Timeouts up to here have no reminders (AAEP §6.4.3). */
const SHORT_TIMEOUT_SECONDS = 60;
/** How long a default waits for a journal that takes nothing, ms. */
const RETRY_MS = 1000;

export function createQuestions(options: QuestionsOptions): Questions {
  const pending = new Map<string, Pending>();
  const byEventId = new Map<string, Pending>();
  const durableState = options.durableState ?? NO_DURABLE_STATE;
  let isClosed = false;
  // The daemon stops and its next run has them: nobody's going ends a question any more (R8b).
  let isLeaving = false;
  let cancelRetry = (): void => {};
  const retries: (() => void)[] = [];
  const outcomes = createQuestionOutcomes({
    durableState,
    ...(options.whenDurable === undefined ? {} : { whenDurable: options.whenDurable }),
    ...(options.accident === undefined ? {} : { accident: options.accident }),
    later: (again) => {
      if (isClosed) return;
      retries.push(again);
      if (retries.length > 1) return;
      cancelRetry = options.wakeUps.at(options.now() + RETRY_MS, () => {
        for (const next of retries.splice(0)) next();
      });
    },
  });
  const audited = createOutcomeAudit(options.audit, durableState);
  const shownBefore = createShownQuestions();
  const untold = createUntold();

  const openNow = (token: string): Pending | undefined => {
    const entry = pending.get(token);
    return entry !== undefined && isAnswerable(entry) ? entry : undefined;
  };

  const keep = (entry: Pending): void => keepQuestion(durableState, entry, options.audit.isOn);

  const take = (question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): Pending => {
    const opened = createPending(question, entry, isRestored);
    pending.set(question.token, opened);
    byEventId.set(question.event.event_id, opened);
    return opened;
  };

  const open = (question: OpenQuestion, entry: JournaledEvent): Pending => {
    const opened = take(question, entry, false);
    keep(opened);
    options.audit.record({ kind: "asked", event: question.event });
    return opened;
  };

  /** The one way out: whoever finds the question unsettled decides its outcome, and nobody after it. */
  const settle = (entry: Pending, decision: Decision, tellSession: () => Promise<void> | undefined): boolean => {
    const { question } = entry;
    if (entry.isSettled) return false;
    entry.isSettled = true;
    let durable: Promise<void> | undefined;
    try {
      durable = tellSession();
    } catch (caught) {
      // What is not written down did not happen (R29).
      entry.isSettled = false;
      throw caught;
    }
    const { token, event } = question;
    pending.delete(token);
    byEventId.delete(event.event_id);
    shownBefore.over(token, entry.shownTo);
    forgetQuestion(durableState, token);
    untold.leave(entry);
    cancelTimers(entry);
    setWaiting(entry, false);
    const outcome = { question: askedOf(question), result: decision.result };
    outcomes.add(outcome, [audited.addPending(outcome, decision), ...entry.listeners], durable);
    return true;
  };

  const resolve = (entry: Pending, decision: Decision): boolean =>
    settle(entry, decision, () => whenOutcomeDurable(entry, options.resolve(entry.question, decision.result)));

  const decisionOf = (result: QuestionResult, reply?: CountedReply): Decision => ({
    result,
    at: options.wallTime(),
    reply,
  });

  /** A decision that is written down is safe, though its resolution is not yet: that follows from it in any run. */
  const whenOutcomeDurable = ({ isDurable }: Pending, durable: Promise<void> | undefined) =>
    isDurable ? undefined : durable;

  /**
   * Decides a question, and tells its session once that is written down: an outcome that somebody heard is not taken back by a kill, and then another
   * one heard (R29). `failed` is told where it cannot be written; the question is open again then.
   */
  const decide = (entry: Pending, decision: Decision, failed: () => void): boolean => {
    if (entry.isSettled || entry.decision !== undefined) return false;
    if (!durableState.isDurable) return resolve(entry, decision);
    entry.decision = decision;
    untold.join(entry);
    keep(entry);
    const takeBack = (): void => {
      entry.decision = undefined;
      keep(entry);
      if (entry.due === undefined) untold.leave(entry);
    };
    let safe: Promise<void> | undefined;
    try {
      safe = options.whenDurable?.();
    } catch (caught) {
      takeBack();
      throw caught;
    }
    if (safe === undefined) return resolve(entry, decision);
    safe.then(
      () => {
        entry.isDurable = true;
        options.slices.add(1, () => tell(entry));
      },
      () => {
        if (entry.isSettled) return;
        takeBack();
        failed();
      },
    );
    return true;
  };

  /** Tells the session what is decided, and safe. */
  const tell = (entry: Pending): void => {
    const { decision } = entry;
    if (decision === undefined || isClosed) return;
    try {
      resolve(entry, decision);
    } catch (caught) {
      tryAgain(entry, caught, () => tell(entry));
    }
  };

  /** What the journal did not take. */
  const tryAgain = (entry: Pending, caught: unknown, act: () => void): void => {
    if (!(caught instanceof Fault) || caught.code !== "storage_unavailable") throw caught;
    entry.isRetried = true;
    const again = (): void => {
      entry.isRetried = false;
      options.slices.add(1, act);
    };
    entry.cancelTimers.push(options.wakeUps.at(options.now() + RETRY_MS, again));
  };

  /** What was decided could not be written down: it is answered, or due, as if nothing had been. */
  const reopen = (entry: Pending): void => {
    if (options.now() >= entry.deadline) comeDue(entry, "timeout");
    else audience.check(entry);
  };

  const setWaiting = (entry: Pending, isWaiting: boolean): void => {
    if (entry.isWaiting === isWaiting) return;
    entry.isWaiting = isWaiting;
    options.waiting(entry.question, isWaiting);
  };

  /** The default applies from now on; where many do at once, their outcomes are told over some turns. */
  const comeDue = (entry: Pending, resolvedBy: DefaultedBy): void => {
    if (!isAnswerable(entry) || isLeaving) return;
    entry.due = resolvedBy;
    untold.join(entry);
    options.slices.add(1, () => applyDefault(entry, resolvedBy));
  };

  const applyDefault = (entry: Pending, resolvedBy: DefaultedBy): void => {
    const again = (caught: unknown): void => tryAgain(entry, caught, () => applyDefault(entry, resolvedBy));
    const decision = decisionOf(resultOfDefault(entry.question, resolvedBy));
    try {
      decide(entry, decision, () => again(UNWRITTEN));
    } catch (caught) {
      again(caught);
    }
  };

  const audience = createQuestionAudience({ ...options, pending, setWaiting, comeDue });

  const armReminders = (entry: Pending): void => {
    const { question, cancelTimers } = entry;
    const seconds = secondsOf(question);
    if (seconds <= SHORT_TIMEOUT_SECONDS) return;
    for (const [passed, share] of [["half", 0.5] as const, ["nine_tenths", 0.9] as const]) {
      const remainingSeconds = Math.round(seconds * (1 - share));
      const at = question.at + seconds * share * 1000;
      const remind = (): void => {
        if (openNow(question.token) === entry) options.remind(question, passed, remainingSeconds);
      };
      // What has passed while nobody was there is not told any more.
      if (at > options.now()) cancelTimers.push(options.wakeUps.at(at, () => options.slices.add(1, remind)));
    }
  };

  const armTimers = (entry: Pending): void => {
    entry.cancelTimers.push(options.wakeUps.at(entry.deadline, () => comeDue(entry, "timeout")));
    armReminders(entry);
  };

  /** What becomes of a reply. One that counts is recorded with what it decided, when that is safe (AAEP §10 T3, R29). */
  const fateOf = (reply: Reply, replier: Replier, raw: unknown, notTaken: (fate: ReplyFate) => void): ReplyFate => {
    const entry = pending.get(reply.token);
    if (entry === undefined) return outcomes.find(reply.token) !== undefined ? "already_resolved" : "unknown_token";
    if (options.now() >= entry.deadline) {
      // A timer may be late; the deadline is not.
      comeDue(entry, "timeout");
      return "expired";
    }
    if (!isAnswerable(entry)) return "already_resolved";
    // Nobody consents to what was not put to them (R6, AAEP §10 T1).
    if (!replier.isEntitled(entry.question) || !entry.shownTo.has(replier.subscriptionId)) return "not_entitled";
    const fault = faultOfReply(reply, entry.question, options.limits.clockSkewMs);
    if (fault !== undefined) return fault;
    try {
      const { subscriptionId, subscriberId } = replier;
      const counted = { subscription_id: subscriptionId, subscriber_id: subscriberId, reply: raw };
      const decision = decisionOf(resultOfReply(reply, entry.question), counted);
      const failed = (): void => {
        notTaken("not_recorded");
        reopen(entry);
      };
      return decide(entry, decision, failed) ? "counted" : "already_resolved";
    } catch (caught) {
      if (caught instanceof Fault && caught.code === "storage_unavailable") return "not_recorded";
      throw caught;
    }
  };

  return {
    asked: (question, journaled) => {
      const entry = open(question, journaled);
      armTimers(entry);
      audience.check(entry);
    },
    withdrawn: (question, durable, journaled) => {
      const entry = journaled === undefined ? pending.get(question.token) : open(question, journaled);
      if (entry !== undefined) settle(entry, decisionOf(CANCELLED), () => durable);
    },
    restore: (questions, log) => {
      audited.restore(log);
      outcomes.restore(log);
      const restored = questions.map(({ question, entry, decision }) => {
        const taken = take(question, entry, true);
        taken.decision = decision;
        taken.isDurable = decision !== undefined;
        return taken;
      });
      const now = options.now();
      for (const entry of restored) if (entry.deadline > now) armTimers(entry);
      for (const entry of restored) {
        if (entry.decision !== undefined) {
          untold.join(entry);
          options.slices.add(1, () => tell(entry));
        } else if (entry.deadline <= now) comeDue(entry, "timeout");
      }
    },
    cancel: (token, byHost) => {
      const entry = openNow(token);
      if (entry === undefined) return false;
      const result = byHost === undefined ? CANCELLED : resultOfHost(entry.question, byHost);
      return decide(entry, decisionOf(result), () => reopen(entry));
    },
    settleDue: (sessionId, isAtOnce) => {
      for (const entry of untold.of(sessionId)) {
        if (entry.isRetried) continue;
        if (entry.due !== undefined && entry.decision === undefined) applyDefault(entry, entry.due);
        if (isAtOnce) tell(entry);
      }
    },
    open: () => [...pending.values()].flatMap((entry) => (isAnswerable(entry) ? [entry.question] : [])),
    openCount: () => pending.size,
    find: (token) => openNow(token)?.question,
    entryOf: (eventId) => {
      const entry = byEventId.get(eventId);
      return entry !== undefined && isAnswerable(entry) ? entry.entry : undefined;
    },
    isWaiting: (token) => pending.get(token)?.isWaiting === true,
    shownCount: (token) => pending.get(token)?.shownTo.size ?? 0,
    outcomeOf: (token) => {
      const outcome = pending.has(token) ? "unsafe" : outcomes.find(token);
      return outcome === "unsafe" ? "open" : outcome;
    },
    sessionOf: (token) => pending.get(token)?.question.sessionId ?? outcomes.sessionOf(token),
    shown: (token, eventId, { subscriptionId, subscriberId }) => {
      const shownTo = pending.get(token)?.shownTo;
      if (shownTo?.has(subscriptionId) === true) return;
      shownTo?.add(subscriptionId);
      options.audit.record({
        kind: "shown",
        event_id: eventId,
        reply_token: token,
        subscription_id: subscriptionId,
        subscriber_id: subscriberId,
      });
    },
    wasShown: (token, subscriptionId) =>
      pending.get(token)?.shownTo.has(subscriptionId) === true || shownBefore.wasShown(token, subscriptionId),
    reply: (reply, replier, raw) => {
      const isOpen = pending.has(reply.token);
      const { subscriptionId, subscriberId } = replier;
      const notTaken = (fate: ReplyFate): void => {
        options.audit.record({
          kind: "reply",
          fate,
          reply_token: reply.token,
          token_is_open: isOpen,
          subscription_id: subscriptionId,
          subscriber_id: subscriberId,
          reply: raw,
        });
        replier.notTaken(reply.token);
      };
      const fate = fateOf(reply, replier, raw, notTaken);
      if (fate !== "counted") notTaken(fate);
      return fate === "counted";
    },
    audienceChanged: (takenSession) => {
      if (!isLeaving) audience.changed(takenSession);
    },
    whenResolved: (token, done) => {
      const listeners = pending.get(token)?.listeners;
      if (listeners !== undefined) listeners.push(done);
      else outcomes.whenDurable(token, done);
    },
    forgetSession: outcomes.forgetSession,
    audited: audited.settled,
    leaveOpen: () => {
      isLeaving = true;
    },
    close: () => {
      isClosed = true;
      cancelRetry();
      for (const entry of pending.values()) cancelTimers(entry);
    },
  };
}

function cancelTimers({ cancelTimers: cancels, cancelGrace }: Pending): void {
  for (const cancel of cancels) cancel();
  cancelGrace?.();
}
