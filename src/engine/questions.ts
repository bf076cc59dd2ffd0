// Open questions: who can be asked, until when, and the one outcome of each (AAEP ch. 6, R6, R7, R19).
// What must not live here: how a question is announced (the hub) and what it does to its session (sessions).
import { Fault } from "../base/errors.js";
import type { Audit, ReplyFate } from "../contracts/audit.js";
import type { Millis } from "../contracts/clock.js";
import type { KeptState } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { JournaledEvent } from "./event.js";
import { forgetQuestion, type KeptQuestion, keepQuestion } from "./kept-questions.js";
import { NOTHING_KEPT } from "./nothing-kept.js";
import { createPending, type Pending, secondsOf } from "./pending-question.js";
import { createQuestionOutcomes } from "./question-outcomes.js";
import {
  askedOf,
  CANCELLED,
  type DefaultedBy,
  outcomeFields,
  type QuestionResult,
  type ResolvedQuestion,
  resultOfDefault,
  resultOfReply,
} from "./question-result.js";
import { faultOfReply, type Reply } from "./reply-check.js";
import type { OpenQuestion } from "./session-record.js";
import type { QuestionKind } from "./texts/catalogue.js";
import type { TurnSlices } from "./turn-slices.js";
import type { WakeUps } from "./wake-ups.js";

export type ReminderPoint = "half" | "nine_tenths";

export interface QuestionsOptions {
  readonly wakeUps: WakeUps;
  /** Defaults and reminders that come all at once go out in slices. */
  readonly slices: TurnSlices;
  readonly now: () => Millis;
  readonly clockSkewMs: Millis;
  readonly audit: Audit;
  /** How many subscriptions can answer a question of this kind now. */
  readonly ableCount: (kind: QuestionKind) => number;
  /** How long a question waits for the first subscription that can answer it, ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** How long one waits after the last such subscription has gone, ms (R7). */
  readonly reconnectGraceMs: Millis;
  /**
   * Tells the session of it; called once a question, in the moment of its outcome. Answers when that is safe, where it is not at once (R29). Throws
   * "storage_unavailable" where it cannot be written down: the question then stays open.
   */
  readonly resolve: (question: OpenQuestion, result: QuestionResult) => Promise<void> | undefined;
  /** Half and nine tenths of a long time have passed (AAEP §6.4.3). */
  readonly remind: (question: OpenQuestion, passed: ReminderPoint, remainingSeconds: number) => void;
  /** Whether anybody who can answer is being waited for has changed: an agent may stop its own clocks meanwhile (pitfall H10). */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** Where open questions and outcomes are kept for the next run. Default: nowhere. */
  readonly kept?: KeptState;
  /** Answers when all that was journaled is safe, undefined where it is; throws or rejects while it cannot be (R29). Default: it is. */
  readonly safety?: () => Promise<void> | undefined;
}

/** A subscription, as the audit log names it. */
export interface Audience {
  readonly subscriptionId: string;
  readonly subscriberId: string;
}

/** Who replies. */
export interface Replier extends Audience {
  readonly isEntitled: (question: OpenQuestion) => boolean;
}

export interface Questions {
  /** Its event has gone out, as `entry`. With nobody to answer it resolves in the same turn. */
  readonly asked: (question: OpenQuestion, entry: JournaledEvent) => void;
  /**
   * Its agent has withdrawn it by an event of its own, which is safe when `durable` settles; the session knows already. With `entry` it was asked and
   * withdrawn in one breath.
   */
  readonly withdrawn: (question: OpenQuestion, durable: Promise<void> | undefined, entry?: JournaledEvent) => void;
  /**
   * Takes over the questions of the run before, which their sessions know, and all outcomes. A question waits until its deadline, and for want of an
   * audience only after it had one in this run; what was due meanwhile gets its default now.
   */
  readonly restore: (questions: readonly KeptQuestion[], log: Pick<Log, "error">) => void;
  /** Takes a question back (AAEP §6.8). False: it is not open. */
  readonly cancel: (token: string) => boolean;
  /** Applies the defaults of a session's questions that have come due and wait for their turn: what is said next in it follows their outcomes. */
  readonly settleDue: (sessionId: string) => void;
  /** In the order in which they were asked. */
  readonly open: () => readonly OpenQuestion[];
  readonly openCount: () => number;
  readonly find: (token: string) => OpenQuestion | undefined;
  /** The event of an open question as it went out, however long ago that was. */
  readonly entryOf: (eventId: string) => JournaledEvent | undefined;
  /** Whether a person is being waited for. */
  readonly isWaiting: (token: string) => boolean;
  /**
   * How a question ended; "open" also while its outcome is not safe yet (R29). The newest 256 of a session are known, until the session is forgotten,
   * and 8 MiB of all sessions together; of others undefined.
   */
  readonly outcomeOf: (token: string) => ResolvedQuestion | "open" | undefined;
  /** The session of a question whose outcome is "open". */
  readonly sessionOf: (token: string) => string | undefined;
  /** To how many subscriptions it was shown. */
  readonly shownCount: (token: string) => number;
  /** Its event was handed to a subscription's transport. */
  readonly shown: (token: string, eventId: string, to: Audience) => void;
  /** The first valid reply wins; the answer says only whether it was this one (R19). */
  readonly reply: (reply: Reply, replier: Replier, raw: unknown) => boolean;
  /** A subscription came, went or changed its terms. */
  readonly audienceChanged: () => void;
  /** Tells `done` once, when the question has its outcome and that is safe: at once where it has one already. */
  readonly whenResolved: (token: string, done: (resolved: ResolvedQuestion) => void) => void;
  /** Forgets outcomes of a session. */
  readonly forgetSession: (sessionId: string) => void;
  /** Lets go of the clock; what is open stays so for the next run. */
  readonly close: () => void;
}

/** Timeouts up to here have no reminders (AAEP §6.4.3). */
const SHORT_TIMEOUT_SECONDS = 60;
/** How long a default waits for a journal that takes nothing, ms. */
const RETRY_MS = 1000;

export function createQuestions(options: QuestionsOptions): Questions {
  const pending = new Map<string, Pending>();
  const byEventId = new Map<string, Pending>();
  const kept = options.kept ?? NOTHING_KEPT;
  let isClosed = false;
  let cancelRetry = (): void => {};
  const retries: (() => void)[] = [];
  const outcomes = createQuestionOutcomes({
    kept,
    ...(options.safety === undefined ? {} : { safety: options.safety }),
    later: (again) => {
      if (isClosed) return;
      retries.push(again);
      if (retries.length > 1) return;
      cancelRetry = options.wakeUps.at(options.now() + RETRY_MS, () => {
        for (const next of retries.splice(0)) next();
      });
    },
  });
  const dueOf = new Map<string, Set<Pending>>();

  const openNow = (token: string): Pending | undefined => {
    const entry = pending.get(token);
    return entry?.due === undefined ? entry : undefined;
  };

  const take = (question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): Pending => {
    const opened = createPending(question, entry, isRestored);
    pending.set(question.token, opened);
    byEventId.set(question.event.event_id, opened);
    return opened;
  };

  const open = (question: OpenQuestion, entry: JournaledEvent): Pending => {
    const opened = take(question, entry, false);
    keepQuestion(kept, opened);
    options.audit.record({ kind: "asked", event: question.event });
    return opened;
  };

  /** The one way out: whoever finds the question unsettled decides its outcome, and nobody after it. */
  const settle = (
    entry: Pending,
    result: QuestionResult,
    tellSession: () => Promise<void> | undefined,
    recordReply: () => void = () => {},
  ): boolean => {
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
    const { token, sessionId, event } = question;
    pending.delete(token);
    byEventId.delete(event.event_id);
    forgetQuestion(kept, token);
    const others = dueOf.get(sessionId);
    if (others?.delete(entry) === true && others.size === 0) dueOf.delete(sessionId);
    cancelTimers(entry);
    setWaiting(entry, false);
    const outcome = { question: askedOf(question), result };
    recordReply();
    options.audit.record({
      kind: "outcome",
      event_id: event.event_id,
      reply_token: token,
      outcome: outcomeFields(outcome),
    });
    outcomes.add(outcome, entry.listeners, durable);
    return true;
  };

  const resolve = (entry: Pending, result: QuestionResult, recordReply?: () => void): boolean =>
    settle(entry, result, () => options.resolve(entry.question, result), recordReply);

  const setWaiting = (entry: Pending, isWaiting: boolean): void => {
    if (entry.isWaiting === isWaiting) return;
    entry.isWaiting = isWaiting;
    options.waiting(entry.question, isWaiting);
  };

  /** The default applies from now on; where many do at once, their outcomes are told over some turns. */
  const comeDue = (entry: Pending, resolvedBy: DefaultedBy): void => {
    if (entry.due !== undefined) return;
    entry.due = resolvedBy;
    const { sessionId } = entry.question;
    dueOf.set(sessionId, (dueOf.get(sessionId) ?? new Set()).add(entry));
    options.slices.add(1, () => applyDefault(entry, resolvedBy));
  };

  const applyDefault = (entry: Pending, resolvedBy: DefaultedBy): void => {
    try {
      resolve(entry, resultOfDefault(entry.question, resolvedBy));
    } catch (caught) {
      if (!(caught instanceof Fault) || caught.code !== "storage_unavailable") throw caught;
      entry.isRetried = true;
      const again = (): void => {
        entry.isRetried = false;
        options.slices.add(1, () => applyDefault(entry, resolvedBy));
      };
      entry.cancelTimers.push(options.wakeUps.at(options.now() + RETRY_MS, again));
    }
  };

  const checkAudience = (entry: Pending, count: number): void => {
    if (entry.due !== undefined) return;
    if (count > 0) {
      entry.hadAudience = true;
      entry.cancelGrace?.();
      entry.cancelGrace = undefined;
      setWaiting(entry, true);
      return;
    }
    if (entry.cancelGrace !== undefined || (entry.isRestored && !entry.hadAudience)) return;
    const resolvedBy = entry.hadAudience ? "subscription_ended" : "no_subscriber";
    const graceMs = entry.hadAudience ? options.reconnectGraceMs : options.confirmationGraceMs;
    if (graceMs === 0) {
      comeDue(entry, resolvedBy);
      return;
    }
    setWaiting(entry, false);
    entry.cancelGrace = options.wakeUps.at(options.now() + graceMs, () => comeDue(entry, resolvedBy));
  };

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

  /** What becomes of a reply. One that counts is recorded here, before what it decided (AAEP §10 T3). */
  const fateOf = (reply: Reply, replier: Replier, record: (fate: ReplyFate) => void): ReplyFate => {
    const entry = pending.get(reply.token);
    if (entry === undefined) return outcomes.find(reply.token) !== undefined ? "already_resolved" : "unknown_token";
    if (options.now() >= entry.deadline) {
      // A timer may be late; the deadline is not.
      comeDue(entry, "timeout");
      return "expired";
    }
    if (entry.due !== undefined) return "already_resolved";
    // Nobody consents to what was not put to them (R6, AAEP §10 T1).
    if (!replier.isEntitled(entry.question) || !entry.shownTo.has(replier.subscriptionId)) return "not_entitled";
    const fault = faultOfReply(reply, entry.question, options.clockSkewMs);
    if (fault !== undefined) return fault;
    try {
      const result = resultOfReply(reply, entry.question);
      return resolve(entry, result, () => record("counted")) ? "counted" : "already_resolved";
    } catch (caught) {
      if (caught instanceof Fault && caught.code === "storage_unavailable") return "not_recorded";
      throw caught;
    }
  };

  return {
    asked: (question, journaled) => {
      const entry = open(question, journaled);
      armTimers(entry);
      checkAudience(entry, options.ableCount(question.kind));
    },
    withdrawn: (question, durable, journaled) => {
      const entry = journaled === undefined ? pending.get(question.token) : open(question, journaled);
      if (entry !== undefined) settle(entry, CANCELLED, () => durable);
    },
    restore: (questions, log) => {
      outcomes.restore(log);
      const restored = questions.map(({ question, entry }) => take(question, entry, true));
      const now = options.now();
      for (const entry of restored) if (entry.deadline > now) armTimers(entry);
      for (const entry of restored) if (entry.deadline <= now) comeDue(entry, "timeout");
    },
    cancel: (token) => {
      const entry = openNow(token);
      return entry !== undefined && resolve(entry, CANCELLED);
    },
    settleDue: (sessionId) => {
      for (const entry of [...(dueOf.get(sessionId) ?? [])])
        if (entry.due !== undefined && !entry.isRetried) applyDefault(entry, entry.due);
    },
    open: () => [...pending.values()].flatMap(({ question, due }) => (due === undefined ? [question] : [])),
    openCount: () => pending.size,
    find: (token) => openNow(token)?.question,
    entryOf: (eventId) => {
      const entry = byEventId.get(eventId);
      return entry?.due === undefined ? entry?.entry : undefined;
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
    reply: (reply, replier, raw) => {
      const isOpen = pending.has(reply.token);
      const { subscriptionId, subscriberId } = replier;
      const record = (fate: ReplyFate): void =>
        options.audit.record({
          kind: "reply",
          fate,
          reply_token: reply.token,
          token_is_open: isOpen,
          subscription_id: subscriptionId,
          subscriber_id: subscriberId,
          reply: raw,
        });
      const fate = fateOf(reply, replier, record);
      if (fate !== "counted") record(fate);
      return fate === "counted";
    },
    audienceChanged: () => {
      if (pending.size === 0) return;
      const counts = {
        confirmation: options.ableCount("confirmation"),
        clarification: options.ableCount("clarification"),
      };
      for (const entry of [...pending.values()]) checkAudience(entry, counts[entry.question.kind]);
    },
    whenResolved: (token, done) => {
      const listeners = pending.get(token)?.listeners;
      if (listeners !== undefined) listeners.push(done);
      else outcomes.whenSafe(token, done);
    },
    forgetSession: outcomes.forgetSession,
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
