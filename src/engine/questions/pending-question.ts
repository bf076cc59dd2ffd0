// The record of an open question, until it has its outcome (AAEP ch. 6).
import type { AuditEntry } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent } from "../event/event.js";
import { jsonSize } from "../event/event-size.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { OutcomeListener } from "./question-outcomes.js";
import type { DefaultedBy, QuestionResult } from "./question-result.js";

/** The members of a counting reply that its line in the audit log cannot take from the question. */
type CountedReply = Pick<Extract<AuditEntry, { kind: "reply" }>, "subscription_id" | "subscriber_id" | "reply">;

/** The subscription that has left a question to the agent's own window (R5b). */
type Leaver = Pick<CountedReply, "subscription_id" | "subscriber_id">;

/** The outcome that a question will have. */
export interface Decision {
  readonly result: QuestionResult;
  /** The instant of the decision, in milliseconds since 1970. */
  readonly at: number;
  /** Undefined if no subscription decided. A `Leaver` has no `reply`. */
  readonly reply: CountedReply | Leaver | undefined;
}

export interface Pending {
  readonly question: OpenQuestion;
  readonly entry: JournaledEvent;
  /** Estimated size of its event. */
  readonly bytes: number;
  readonly deadline: Millis;
  readonly cancelTimers: (() => void)[];
  readonly listeners: OutcomeListener[];
  /** Ids of the subscriptions that were shown the question. */
  readonly shownTo: Set<string>;
  cancelGrace: (() => void) | undefined;
  /** The reason for its default, once that applies. No reply counts any more, but the outcome may wait for its turn. */
  due: DefaultedBy | undefined;
  /** The decision, while it is being written. No reply counts any more (R29). */
  decision: Decision | undefined;
  /** Whether the decision is durable. */
  isDurable: boolean;
  /** The journal did not take the default, and a timer will try again. */
  isRetried: boolean;
  hadAudience: boolean;
  /** The question was asked in the previous boot, so its audience may be on the way back. */
  readonly isRestored: boolean;
  isWaiting: boolean;
  isSettled: boolean;
}

export function createPending(question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): Pending {
  return {
    question,
    entry,
    bytes: jsonSize(question.event),
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

/** Whether a reply can still decide the question. */
export function isAnswerable({ due, decision }: Pending): boolean {
  return due === undefined && decision === undefined;
}

/** The question's timeout in seconds. */
export function secondsOf({ event }: OpenQuestion): number {
  return typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
}

/** Questions that no reply can decide any more, and whose outcome their session does not know yet. */
export interface UntoldQuestions {
  readonly join: (entry: Pending) => void;
  readonly leave: (entry: Pending) => void;
  /** A copy of the list for one session. */
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
