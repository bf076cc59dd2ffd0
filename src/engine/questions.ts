// Open questions: who can be asked, until when, and the one outcome of each (AAEP ch. 6, R6, R7, R19).
// What must not live here: how a question is announced (the hub) and what it does to its session (sessions).
import type { Millis } from "../contracts/clock.js";
import type { OpenQuestion } from "./session-record.js";
import type { QuestionKind } from "./texts/catalogue.js";
import type { WakeUps } from "./wake-ups.js";

export type ResolvedBy = "reply" | "timeout" | "no_subscriber" | "subscription_ended";

/** How a question ends. A default that was applied is never reported as somebody's decision. */
export interface QuestionResult {
  readonly resolvedBy: ResolvedBy;
  /** "accept" or "reject" for a confirmation. */
  readonly decision: "accept" | "reject" | undefined;
  /** The answer to a clarification; undefined where there was none and no default. */
  readonly response: unknown;
}

export interface QuestionsOptions {
  readonly wakeUps: WakeUps;
  readonly now: () => Millis;
  /** How many subscriptions can answer a question of this kind now. */
  readonly ableCount: (kind: QuestionKind) => number;
  /** How long a question waits for the first subscription that can answer it, ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** How long one waits after the last such subscription has gone, ms (R7). */
  readonly reconnectGraceMs: Millis;
  readonly resolve: (question: OpenQuestion, result: QuestionResult) => void;
}

export interface Questions {
  /** Its event has gone out. With nobody to answer it resolves in the same turn. */
  readonly asked: (question: OpenQuestion) => void;
  readonly withdrawn: (question: OpenQuestion) => void;
  readonly isOpen: (token: string) => boolean;
  readonly open: () => readonly OpenQuestion[];
  /** The first valid reply wins; the answer says only whether it was this one (R19). */
  readonly reply: (token: string, result: Pick<QuestionResult, "decision" | "response">) => boolean;
  readonly find: (token: string) => OpenQuestion | undefined;
  /** A subscription came, went or changed its terms. */
  readonly audienceChanged: () => void;
}

interface Pending {
  readonly question: OpenQuestion;
  readonly cancelDeadline: () => void;
  cancelGrace: (() => void) | undefined;
  hadAudience: boolean;
}

export function createQuestions(options: QuestionsOptions): Questions {
  const pending = new Map<string, Pending>();

  const settle = (entry: Pending): boolean => {
    if (!pending.delete(entry.question.token)) return false;
    entry.cancelDeadline();
    entry.cancelGrace?.();
    return true;
  };

  const applyDefault = (entry: Pending, resolvedBy: Exclude<ResolvedBy, "reply">): void => {
    const { event, kind } = entry.question;
    if (!settle(entry)) return;
    const decision = kind === "confirmation" ? (event.default_decision === "accept" ? "accept" : "reject") : undefined;
    options.resolve(entry.question, { resolvedBy, decision, response: event.default_response });
  };

  const checkAudience = (entry: Pending): void => {
    if (options.ableCount(entry.question.kind) > 0) {
      entry.hadAudience = true;
      entry.cancelGrace?.();
      entry.cancelGrace = undefined;
      return;
    }
    if (entry.cancelGrace !== undefined) return;
    const resolvedBy = entry.hadAudience ? "subscription_ended" : "no_subscriber";
    const graceMs = entry.hadAudience ? options.reconnectGraceMs : options.confirmationGraceMs;
    if (graceMs === 0) applyDefault(entry, resolvedBy);
    else entry.cancelGrace = options.wakeUps.at(options.now() + graceMs, () => applyDefault(entry, resolvedBy));
  };

  return {
    asked: (question) => {
      const seconds = question.event.timeout_seconds;
      const deadline = question.at + (typeof seconds === "number" ? seconds : 0) * 1000;
      const entry: Pending = {
        question,
        cancelDeadline: options.wakeUps.at(deadline, () => applyDefault(entry, "timeout")),
        cancelGrace: undefined,
        hadAudience: false,
      };
      pending.set(question.token, entry);
      checkAudience(entry);
    },
    withdrawn: (question) => {
      const entry = pending.get(question.token);
      if (entry !== undefined) settle(entry);
    },
    isOpen: (token) => pending.has(token),
    open: () => [...pending.values()].map(({ question }) => question),
    reply: (token, result) => {
      const entry = pending.get(token);
      if (entry === undefined || !settle(entry)) return false;
      options.resolve(entry.question, { ...result, resolvedBy: "reply" });
      return true;
    },
    find: (token) => pending.get(token)?.question,
    audienceChanged: () => {
      for (const entry of [...pending.values()]) checkAudience(entry);
    },
  };
}
