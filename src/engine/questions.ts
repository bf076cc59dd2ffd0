// Open questions: who can be asked, until when, and the one outcome of each (AAEP ch. 6, R6, R7, R19).
// What must not live here: how a question is announced (the hub) and what it does to its session (sessions).
import type { Audit, ReplyFate } from "../contracts/audit.js";
import type { Millis } from "../contracts/clock.js";
import { faultOfReply, type Reply } from "./reply-check.js";
import type { OpenQuestion } from "./session-record.js";
import type { QuestionKind } from "./texts/catalogue.js";
import type { WakeUps } from "./wake-ups.js";

export type ResolvedBy = "reply" | "timeout" | "no_subscriber" | "subscription_ended" | "cancelled";

/** How a question ended. A default that was applied is never reported as somebody's decision. */
export interface QuestionResult {
  readonly resolvedBy: ResolvedBy;
  /** For a confirmation that was not cancelled. */
  readonly decision: "accept" | "reject" | undefined;
  /** The answer to a clarification, or its default; undefined where there is neither. */
  readonly response: unknown;
  readonly decidedBy: string | undefined;
  readonly rationale: string | undefined;
  readonly modifiedAction: Readonly<Record<string, unknown>> | undefined;
  readonly confidence: number | undefined;
}

/** A question and how it ended, remembered for an agent that comes back. */
export interface ResolvedQuestion {
  readonly question: OpenQuestion;
  readonly result: QuestionResult;
}

export type ReminderPoint = "half" | "nine_tenths";

export interface QuestionsOptions {
  readonly wakeUps: WakeUps;
  readonly now: () => Millis;
  readonly clockSkewMs: Millis;
  readonly audit: Audit;
  /** How many subscriptions can answer a question of this kind now. */
  readonly ableCount: (kind: QuestionKind) => number;
  /** How long a question waits for the first subscription that can answer it, ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** How long one waits after the last such subscription has gone, ms (R7). */
  readonly reconnectGraceMs: Millis;
  /** Tells the session of it; called once a question, in the moment of its outcome. */
  readonly resolve: (question: OpenQuestion, result: QuestionResult) => void;
  /** Half and nine tenths of a long time have passed (AAEP §6.4.3). */
  readonly remind: (question: OpenQuestion, passed: ReminderPoint, remainingSeconds: number) => void;
  /** Whether anybody who can answer is being waited for has changed: an agent may stop its own clocks meanwhile (pitfall H10). */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
}

/** Who replies, as the audit log names it. */
export interface Replier {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  readonly isEntitled: (question: OpenQuestion) => boolean;
}

export interface Questions {
  /** Its event has gone out. With nobody to answer it resolves in the same turn. */
  readonly asked: (question: OpenQuestion) => void;
  /** Its agent has withdrawn it by an event of its own; the session knows already. */
  readonly withdrawn: (question: OpenQuestion) => void;
  /** Takes a question back (AAEP §6.8). False: it is not open. */
  readonly cancel: (token: string) => boolean;
  readonly open: () => readonly OpenQuestion[];
  readonly find: (token: string) => OpenQuestion | undefined;
  /** How a question ended; undefined where it is open or was never asked. */
  readonly outcomeOf: (token: string) => ResolvedQuestion | undefined;
  /** The first valid reply wins; the answer says only whether it was this one (R19). */
  readonly reply: (reply: Reply, replier: Replier, raw: unknown) => boolean;
  /** A subscription came, went or changed its terms. */
  readonly audienceChanged: () => void;
  /** Tells `done` once, when the question has its outcome: at once where it has one already. */
  readonly whenResolved: (token: string, done: (resolved: ResolvedQuestion) => void) => void;
  /** Forgets outcomes of a session. */
  readonly forgetSession: (sessionId: string) => void;
}

interface Pending {
  readonly question: OpenQuestion;
  readonly cancelTimers: (() => void)[];
  cancelGrace: (() => void) | undefined;
  hadAudience: boolean;
  isWaiting: boolean;
  readonly listeners: ((resolved: ResolvedQuestion) => void)[];
}

/** Timeouts up to here have no reminders (AAEP §6.4.3). */
const SHORT_TIMEOUT_SECONDS = 60;

const NOBODY = {
  decidedBy: undefined,
  rationale: undefined,
  modifiedAction: undefined,
  confidence: undefined,
} as const;

export function createQuestions(options: QuestionsOptions): Questions {
  const pending = new Map<string, Pending>();
  const resolved = new Map<string, ResolvedQuestion>();
  const tokensOf = new Map<string, string[]>();

  /** The one way out: whoever takes the entry from `pending` has decided the outcome. */
  const settle = (entry: Pending, result: QuestionResult, tellSession: boolean): boolean => {
    const { question } = entry;
    if (!pending.delete(question.token)) return false;
    for (const cancel of entry.cancelTimers) cancel();
    entry.cancelGrace?.();
    setWaiting(entry, false);
    const outcome = { question, result };
    resolved.set(question.token, outcome);
    tokensOf.set(question.sessionId, [...(tokensOf.get(question.sessionId) ?? []), question.token]);
    options.audit.record({
      kind: "outcome",
      event_id: question.event.event_id,
      reply_token: question.token,
      outcome: outcomeFields(outcome),
    });
    if (tellSession) options.resolve(question, result);
    for (const listener of entry.listeners) listener(outcome);
    return true;
  };

  const setWaiting = (entry: Pending, isWaiting: boolean): void => {
    if (entry.isWaiting === isWaiting) return;
    entry.isWaiting = isWaiting;
    options.waiting(entry.question, isWaiting);
  };

  const applyDefault = (entry: Pending, resolvedBy: "timeout" | "no_subscriber" | "subscription_ended"): void => {
    const { event, kind } = entry.question;
    const decision = kind === "confirmation" ? (event.default_decision === "accept" ? "accept" : "reject") : undefined;
    settle(entry, { ...NOBODY, resolvedBy, decision, response: event.default_response }, true);
  };

  const checkAudience = (entry: Pending): void => {
    if (options.ableCount(entry.question.kind) > 0) {
      entry.hadAudience = true;
      entry.cancelGrace?.();
      entry.cancelGrace = undefined;
      setWaiting(entry, true);
      return;
    }
    setWaiting(entry, false);
    if (entry.cancelGrace !== undefined) return;
    const resolvedBy = entry.hadAudience ? "subscription_ended" : "no_subscriber";
    const graceMs = entry.hadAudience ? options.reconnectGraceMs : options.confirmationGraceMs;
    if (graceMs === 0) applyDefault(entry, resolvedBy);
    else entry.cancelGrace = options.wakeUps.at(options.now() + graceMs, () => applyDefault(entry, resolvedBy));
  };

  const armReminders = (entry: Pending, seconds: number): void => {
    if (seconds <= SHORT_TIMEOUT_SECONDS) return;
    const { question } = entry;
    for (const [passed, share] of [["half", 0.5] as const, ["nine_tenths", 0.9] as const]) {
      const remainingSeconds = Math.round(seconds * (1 - share));
      const at = question.at + seconds * share * 1000;
      entry.cancelTimers.push(options.wakeUps.at(at, () => options.remind(question, passed, remainingSeconds)));
    }
  };

  const fateOf = (reply: Reply, replier: Replier): ReplyFate => {
    const entry = pending.get(reply.token);
    if (entry === undefined) return resolved.has(reply.token) ? "already_resolved" : "unknown_token";
    if (!replier.isEntitled(entry.question)) return "not_entitled";
    const fault = faultOfReply(reply, entry.question, options.clockSkewMs);
    if (fault !== undefined) return fault;
    settle(entry, resultOf(reply, entry.question), true);
    return "counted";
  };

  return {
    asked: (question) => {
      const seconds = typeof question.event.timeout_seconds === "number" ? question.event.timeout_seconds : 0;
      const entry: Pending = {
        question,
        cancelTimers: [],
        cancelGrace: undefined,
        hadAudience: false,
        isWaiting: false,
        listeners: [],
      };
      entry.cancelTimers.push(options.wakeUps.at(question.at + seconds * 1000, () => applyDefault(entry, "timeout")));
      armReminders(entry, seconds);
      pending.set(question.token, entry);
      options.audit.record({ kind: "asked", event: question.event });
      checkAudience(entry);
    },
    withdrawn: (question) => {
      const entry = pending.get(question.token);
      const result = { ...NOBODY, resolvedBy: "cancelled", decision: undefined, response: undefined } as const;
      if (entry !== undefined) settle(entry, result, false);
    },
    cancel: (token) => {
      const entry = pending.get(token);
      const result = { ...NOBODY, resolvedBy: "cancelled", decision: undefined, response: undefined } as const;
      return entry !== undefined && settle(entry, result, true);
    },
    open: () => [...pending.values()].map(({ question }) => question),
    find: (token) => pending.get(token)?.question,
    outcomeOf: (token) => resolved.get(token),
    reply: (reply, replier, raw) => {
      const fate = fateOf(reply, replier);
      options.audit.record({
        kind: "reply",
        fate,
        reply_token: reply.token,
        subscription_id: replier.subscriptionId,
        subscriber_id: replier.subscriberId,
        reply: raw,
      });
      return fate === "counted";
    },
    audienceChanged: () => {
      for (const entry of [...pending.values()]) checkAudience(entry);
    },
    whenResolved: (token, done) => {
      const entry = pending.get(token);
      const outcome = resolved.get(token);
      if (entry !== undefined) entry.listeners.push(done);
      else if (outcome !== undefined) done(outcome);
    },
    forgetSession: (sessionId) => {
      for (const token of tokensOf.get(sessionId) ?? []) resolved.delete(token);
      tokensOf.delete(sessionId);
    },
  };
}

function resultOf(reply: Reply, question: OpenQuestion): QuestionResult {
  if (reply.kind === "clarification") {
    const { response, decidedBy, confidence } = reply;
    return { ...NOBODY, resolvedBy: "reply", decision: undefined, response, decidedBy, confidence };
  }
  const { decidedBy, rationale, modifiedAction } = reply;
  // A change that the agent did not say it can make is no consent to the unchanged action (AAEP §6.3).
  const isUnsupported = modifiedAction !== undefined && !takesModifications(question);
  const decision = isUnsupported ? "reject" : reply.decision;
  return { ...NOBODY, resolvedBy: "reply", decision, response: undefined, decidedBy, rationale, modifiedAction };
}

function takesModifications({ event }: OpenQuestion): boolean {
  return event.extensions?.aaepd?.accepts_modified_action === true;
}

/** An outcome in the field's own names, for agents and for the log. What nobody said is left out. */
export function outcomeFields({ question, result }: ResolvedQuestion): Readonly<Record<string, unknown>> {
  const all = {
    decision: result.decision,
    response: result.response,
    resolved_by: result.resolvedBy,
    decided_by: result.decidedBy,
    decision_rationale: result.rationale,
    modified_action: result.modifiedAction,
    confidence: result.confidence,
    event_id: question.event.event_id,
    reply_token: question.token,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
