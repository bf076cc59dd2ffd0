// A question that is open: what is known of it until it has its outcome (AAEP ch. 6).
import type { AuditEntry } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent } from "../event/event.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { OutcomeListener } from "./question-outcomes.js";
import type { DefaultedBy, QuestionResult } from "./question-result.js";

/** The reply that counted, as far as its line in the audit log does not follow from the question. */
export type CountedReply = Pick<Extract<AuditEntry, { kind: "reply" }>, "subscription_id" | "subscriber_id" | "reply">;

/** The outcome that a question will have. */
export interface Decision {
  readonly result: QuestionResult;
  /** When it was decided, milliseconds since 1970. */
  readonly at: number;
  /** Undefined where nobody replied. */
  readonly reply: CountedReply | undefined;
}

export interface Pending {
  readonly question: OpenQuestion;
  readonly entry: JournaledEvent;
  readonly deadline: Millis;
  readonly cancelTimers: (() => void)[];
  readonly listeners: OutcomeListener[];
  /** Ids of the subscriptions that it was shown to. */
  readonly shownTo: Set<string>;
  cancelGrace: (() => void) | undefined;
  /** How its default has come to apply: nobody answers it any more, though its outcome may wait for its turn. */
  due: DefaultedBy | undefined;
  /** What was decided, while that is being written down: nobody answers it any more (R29). */
  decision: Decision | undefined;
  /** The decision is written down. */
  isDurable: boolean;
  /** The journal did not take its default; that is tried again. */
  isRetried: boolean;
  hadAudience: boolean;
  /** Asked in the run before this one: who could answer may be on the way back. */
  readonly isRestored: boolean;
  isWaiting: boolean;
  isSettled: boolean;
}

export function createPending(question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): Pending {
  return {
    question,
    entry,
    deadline: question.at + secondsOf(question) * 1000,
    cancelTimers: [],
    listeners: [],
    shownTo: new Set(),
    cancelGrace: undefined,
    due: undefined,
    decision: undefined,
    isDurable: false,
    isRetried: false,
    hadAudience: false,
    isRestored,
    isWaiting: false,
    isSettled: false,
  };
}

/** Whether a reply can still decide it. */
export function isAnswerable({ due, decision }: Pending): boolean {
  return due === undefined && decision === undefined;
}

/** How long it may be answered. */
export function secondsOf({ event }: OpenQuestion): number {
  return typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
}

/** What nobody answers any more, and whose outcome its session does not know yet. */
export interface UntoldQuestions {
  readonly join: (entry: Pending) => void;
  readonly leave: (entry: Pending) => void;
  /** Those of a session, as they are now. */
  readonly of: (sessionId: string) => readonly Pending[];
}

export function createUntold(): UntoldQuestions {
  const bySession = new Map<string, Set<Pending>>();
  return {
    join: (entry) => {
      const { sessionId } = entry.question;
      bySession.set(sessionId, (bySession.get(sessionId) ?? new Set()).add(entry));
    },
    leave: (entry) => {
      const { sessionId } = entry.question;
      const others = bySession.get(sessionId);
      if (others?.delete(entry) === true && others.size === 0) bySession.delete(sessionId);
    },
    of: (sessionId) => [...(bySession.get(sessionId) ?? [])],
  };
}
