// Open questions: their audience, their deadline, and the one outcome of each (AAEP ch. 6, R6, R7, R19). The rooms agents and notices announce a
// question. The room sessions knows the effect of an outcome on its session.
import { Fault } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent } from "../event/event.js";
import { jsonSize } from "../event/event-size.js";
import { isHostDialog } from "../event/host-dialog.js";
import { NO_DURABLE_STATE } from "../journal/no-durable-state.js";
import { checkQuestionRoom, SESSION_COUNTS } from "../sessions/session-limits.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import { forgetQuestion, keepQuestion } from "./durable-questions.js";
import { createOutcomeAudit } from "./outcome-audit.js";
import { createPending, createUntold, type Decision, isAnswerable, type Pending } from "./pending-question.js";
import { createQuestionAudience } from "./question-audience.js";
import { createQuestionOutcomes } from "./question-outcomes.js";
import {
  askedOf,
  CANCELLED,
  type DefaultedBy,
  LEFT_TO_HOST,
  type QuestionResult,
  resultOfDefault,
  resultOfHost,
  resultOfReply,
} from "./question-result.js";
import { createQuestionTimers } from "./question-timers.js";
import type { Questions, QuestionsOptions, Replier } from "./questions-spec.js";
import { faultOfReply, type Reply } from "./reply-check.js";
import { createShownQuestions } from "./shown-questions.js";

/** The cause of a retry, if the journal did not take a default that was decided. */
const UNWRITTEN = new Fault("storage_unavailable", "The journal did not take it.", { rule: "R29", origin: "local" });

/** Wait before a decision or an outcome that the journal did not take is tried again, in ms. */
const RETRY_MS = 1000;

export function createQuestions(options: QuestionsOptions): Questions {
  const pending = new Map<string, Pending>();
  const byEventId = new Map<string, Pending>();
  const durableState = options.durableState ?? NO_DURABLE_STATE;
  let openBytes = 0;
  let isClosed = false;
  // Set when the daemon stops and leaves open questions to the next boot. From then on no default applies (R8b).
  let isLeaving = false;
  let cancelRetry = (): void => {};
  const retries: (() => void)[] = [];
  const { sessionCounts = SESSION_COUNTS } = options.limits;
  const outcomes = createQuestionOutcomes({
    maxCount: sessionCounts.outcomes,
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

  /** An instant of the monotonic clock as the clock on the wall shows it now, ms since 1970 (R40). */
  const wallTimeOf = (at: Millis): number => options.wallTime() + at - options.now();

  const keep = (entry: Pending): void =>
    keepQuestion(durableState, entry, options.audit.isOn, wallTimeOf(entry.question.at));

  const take = (question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): Pending => {
    const opened = createPending(question, entry, isRestored);
    pending.set(question.token, opened);
    byEventId.set(question.event.event_id, opened);
    openBytes += opened.bytes;
    return opened;
  };

  const open = (question: OpenQuestion, entry: JournaledEvent): Pending => {
    const opened = take(question, entry, false);
    keep(opened);
    options.audit.record({ kind: "asked", event: question.event });
    return opened;
  };

  /** Gives a question its outcome, unless it has one. The first caller decides it. Every outcome passes through here. */
  const settle = (entry: Pending, decision: Decision, tellSession: () => Promise<void> | undefined): boolean => {
    const { question } = entry;
    if (entry.isSettled) return false;
    entry.isSettled = true;
    let durable: Promise<void> | undefined;
    try {
      durable = tellSession();
    } catch (caught) {
      // An outcome that the journal did not take has not happened (R29).
      entry.isSettled = false;
      throw caught;
    }
    const { token, event } = question;
    pending.delete(token);
    byEventId.delete(event.event_id);
    openBytes -= entry.bytes;
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

  const decisionOf = (result: QuestionResult, reply?: Decision["reply"]): Decision => ({
    result,
    at: options.wallTime(),
    reply,
  });

  /** A durable decision is safe even if its resolution is not yet durable: every later boot makes the resolution from it. */
  const whenOutcomeDurable = ({ isDurable }: Pending, durable: Promise<void> | undefined) =>
    isDurable ? undefined : durable;

  /**
   * Decides a question, and reports the decision to the question's session once it is durable. Without this order, a kill could revoke an outcome
   * that somebody heard, and a different one could follow (R29). `failed` is called if the decision could not be written; the question is then open
   * again.
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

  /** Reports a durable decision to the question's session. */
  const tell = (entry: Pending): void => {
    const { decision } = entry;
    if (decision === undefined || isClosed) return;
    try {
      resolve(entry, decision);
    } catch (caught) {
      tryAgain(entry, caught, () => tell(entry));
    }
  };

  /** Tries `act` again after a second if the journal refused it. Throws every other error. */
  const tryAgain = (entry: Pending, caught: unknown, act: () => void): void => {
    if (!(caught instanceof Fault) || caught.code !== "storage_unavailable") throw caught;
    entry.isRetried = true;
    const again = (): void => {
      entry.isRetried = false;
      options.slices.add(1, act);
    };
    entry.cancelTimers.push(options.wakeUps.at(options.now() + RETRY_MS, again));
  };

  /** Restores a question whose decision could not be written: it is open again, or gets its default if its deadline has passed. */
  const reopen = (entry: Pending): void => {
    if (options.now() >= entry.deadline) comeDue(entry, "timeout");
    else audience.check(entry);
  };

  const setWaiting = (entry: Pending, isWaiting: boolean): void => {
    if (entry.isWaiting === isWaiting) return;
    entry.isWaiting = isWaiting;
    options.waiting(entry.question, isWaiting);
  };

  /** Applies the default from now on. The outcomes of many defaults at once are spread over several turns. */
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

  const armTimers = createQuestionTimers({
    ...options,
    isOpen: (entry) => openNow(entry.question.token) === entry,
    over: (entry) => comeDue(entry, "timeout"),
  });

  /** A reply counts only from a subscription that was shown the question (R6, AAEP §10 T1). */
  const mayAnswer = (entry: Pending, replier: Replier): boolean =>
    replier.isEntitled(entry.question) && entry.shownTo.has(replier.subscriptionId);

  /** Decides the fate of a reply. The audit log gets a reply that counts together with its outcome, once that is safe (AAEP §10 T3, R29). */
  const fateOf = (reply: Reply, replier: Replier, raw: unknown, notTaken: (fate: ReplyFate) => void): ReplyFate => {
    const entry = pending.get(reply.token);
    if (entry === undefined) return outcomes.find(reply.token) !== undefined ? "already_resolved" : "unknown_token";
    if (options.now() >= entry.deadline) {
      // The timer may fire late; replies after the deadline expire all the same.
      comeDue(entry, "timeout");
      return "expired";
    }
    if (!isAnswerable(entry)) return "already_resolved";
    if (!mayAnswer(entry, replier)) return "not_entitled";
    const fault = faultOfReply(reply, entry.question, wallTimeOf(entry.deadline));
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
      const inOrder = [...questions].sort((a, b) => a.entry.epoch - b.entry.epoch);
      const restored = inOrder.map(({ question, entry, decision }) => {
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
    leave: (token, replier) => {
      const entry = openNow(token);
      if (entry === undefined || !mayAnswer(entry, replier)) {
        const sentence = "Name an open question that this subscription was asked.";
        throw new Fault("not_found", sentence, { pointer: "/reply_token", rule: "R5b" });
      }
      if (!isHostDialog(entry.question.event)) {
        const sentence = "Answer this question by a reply; its agent asks it nowhere else.";
        throw new Fault("invalid_params", sentence, { pointer: "/reply_token", rule: "R5b" });
      }
      const left = { subscription_id: replier.subscriptionId, subscriber_id: replier.subscriberId };
      decide(entry, decisionOf(LEFT_TO_HOST, left), () => reopen(entry));
    },
    settleDue: (sessionId, isAtOnce) => {
      for (const entry of untold.of(sessionId)) {
        if (entry.isRetried) continue;
        if (entry.due !== undefined && entry.decision === undefined) applyDefault(entry, entry.due);
        if (isAtOnce) tell(entry);
      }
    },
    open: () => [...pending.values()].flatMap((entry) => (isAnswerable(entry) ? [entry.question] : [])),
    *openAfter(after) {
      for (const one of pending.values()) if (one.entry.epoch > after && isAnswerable(one)) yield one;
    },
    openCount: () => pending.size,
    checkRoom: (asked) => checkQuestionRoom(sessionCounts, openBytes, jsonSize(asked.map(({ event }) => event))),
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
      if (shownTo?.has(subscriptionId) === true || shownBefore.wasShown(token, subscriptionId)) return;
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
