// A question that is open: what is known of it until it has its outcome (AAEP ch. 6).
import type { Millis } from "../contracts/clock.js";
import type { JournaledEvent } from "./event.js";
import type { OutcomeListener } from "./question-outcomes.js";
import type { DefaultedBy } from "./question-result.js";
import type { OpenQuestion } from "./session-record.js";

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
    isRetried: false,
    hadAudience: false,
    isRestored,
    isWaiting: false,
    isSettled: false,
  };
}

/** How long it may be answered. */
export function secondsOf({ event }: OpenQuestion): number {
  return typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
}
