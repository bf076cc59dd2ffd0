// The interface of open questions: the functions that they need from the engine, and the calls that they answer. questions.ts implements it (AAEP ch.
// 6).
import type { Audit } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { SessionCounts } from "../sessions/session-limits.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { AbleSubscriptions } from "../terms/answering.js";
import type { TurnSlices } from "../time/turn-slices.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { DurableQuestion } from "./durable-questions.js";
import type { HostDecision, QuestionResult, ResolvedQuestion } from "./question-result.js";
import type { Reply } from "./reply-check.js";

export type ReminderPoint = "half" | "nine_tenths";

interface QuestionLimits {
  /** Wait of a question for the first subscription that can answer it, in ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** Wait of a question after the last such subscription has ended, in ms (R7). */
  readonly reconnectGraceMs: Millis;
  /** Default `SESSION_COUNTS`. */
  readonly sessionCounts?: Pick<SessionCounts, "outcomes" | "questionBytes">;
}

export interface QuestionsOptions {
  readonly wakeUps: WakeUps;
  /** Spreads many defaults and reminders over several turns. */
  readonly slices: TurnSlices;
  readonly now: () => Millis;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  /** Read again for each use. */
  readonly limits: QuestionLimits;
  readonly audit: Audit;
  /** Counts the subscriptions that can answer a question now. */
  readonly countAble: () => AbleSubscriptions;
  /** Whether a session's agent is away and may come back (R8). */
  readonly isAgentAway: (sessionId: string) => boolean;
  /**
   * Until when the listeners of a session may be on their way back after a restart. A question asked before this instant, for example one that a kill
   * lost and its agent asks again, waits at least so long for a subscription that can answer (R6, R8b). In the past for sessions of this boot.
   */
  readonly returnUntil: (sessionId: string) => Millis;
  /**
   * Reports the result to the question's session; called once per outcome, at its instant. Returns when the resolution is safe, or undefined if it is
   * safe at once (R29). Throws "storage_unavailable" if it cannot be written. The question then stays open.
   */
  readonly resolve: (question: OpenQuestion, result: QuestionResult) => Promise<void> | undefined;
  /** Called when half and nine tenths of a long timeout have passed (AAEP §6.4.3). */
  readonly remind: (question: OpenQuestion, passed: ReminderPoint, remainingSeconds: number) => void;
  /** Called when a question begins or stops to wait for a person. An agent may stop its own clocks meanwhile. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
  /** Stores open questions and outcomes for the next boot. Default: nothing is stored. */
  readonly durableState?: DurableState;
  /** Called with what a listener of an outcome threw. Default: ignored. */
  readonly accident?: (caught: unknown) => void;
  /**
   * Returns a promise that resolves when all that was journaled is safe; undefined if it is safe already. Throws or rejects while the journal fails
   * (R29). Default: always safe.
   */
  readonly whenDurable?: () => Promise<void> | undefined;
}

/** A subscription in the audit log's terms. */
interface Audience {
  readonly subscriptionId: string;
  readonly subscriberId: string;
}

/** The subscription that replies. */
export interface Replier extends Audience {
  readonly isEntitled: (question: OpenQuestion) => boolean;
  /** Reports that a reply with this token did not count, or that its decision could not be stored and does not count any more. */
  readonly notTaken: (token: string) => void;
}

export interface Questions {
  /** Opens a question whose event was published as `entry`. If no subscription can answer it, and there is no grace, its default applies at once. */
  readonly asked: (question: OpenQuestion, entry: JournaledEvent) => void;
  /**
   * Closes a question that its agent withdrew by an event, which is safe when `durable` settles. The session knows this already. `entry` is given if
   * one plan both asked and withdrew the question.
   */
  readonly withdrawn: (question: OpenQuestion, durable: Promise<void> | undefined, entry?: JournaledEvent) => void;
  /**
   * Takes over all outcomes and the open questions of the previous boot; their sessions know them already. A question waits until its deadline. For
   * lack of an audience it ends only after it had one in this boot and its agent is not away (R8b). A question whose deadline has passed gets its
   * default now.
   */
  readonly restore: (questions: readonly DurableQuestion[], log: Pick<Log, "error">) => void;
  /**
   * Closes a question for its agent, which takes it back (AAEP §6.8) or reports a decision from a dialog of its own (R5a). Returns false if the
   * question is not open. Throws "invalid_params" for a decision about a question that is no confirmation.
   */
  readonly cancel: (token: string, byHost: HostDecision | undefined) => boolean;
  /**
   * Leaves a question to the window of its host: it is cancelled, and its listeners are told to answer there (R5b). The rights are those of a reply.
   * Throws "not_found" for a question that `replier` could not answer now, "invalid_params" for one that no host asks.
   */
  readonly leave: (token: string, replier: Replier) => void;
  /**
   * Applies defaults of the session that are due and wait for their turn, so that the next events of the session follow their outcomes. With
   * `isAtOnce` it also reports them, and every other decision, to the session, even if they are not safe yet: the session is about to end, or its
   * agent to go on.
   */
  readonly settleDue: (sessionId: string, isAtOnce: boolean) => void;
  /** Open questions in the order in which they were asked. */
  readonly open: () => readonly OpenQuestion[];
  /** Open questions whose event is behind an epoch, in the same order. The caller stops when it has enough. */
  readonly openAfter: (after: Epoch) => Iterable<{ readonly question: OpenQuestion; readonly entry: JournaledEvent }>;
  readonly openCount: () => number;
  /** Throws "rate_limit" if these questions do not fit among the open ones of all sessions, of at most `questionBytes`. */
  readonly checkRoom: (asked: readonly OpenQuestion[]) => void;
  readonly find: (token: string) => OpenQuestion | undefined;
  /** The event of an open question as it was published, however long ago. */
  readonly entryOf: (eventId: string) => JournaledEvent | undefined;
  /** Whether the question waits for a person. */
  readonly isWaiting: (token: string) => boolean;
  /**
   * The outcome of a question; "open" also while its outcome is not safe yet (R29). Known are the newest 256 of each session, until the session is
   * forgotten, and 8 MiB of all sessions together. Undefined for others.
   */
  readonly outcomeOf: (token: string) => ResolvedQuestion | "open" | undefined;
  /** The session of a question that is open, or whose outcome is remembered. */
  readonly sessionOf: (token: string) => string | undefined;
  /** Number of subscriptions that were shown the question. */
  readonly shownCount: (token: string) => number;
  /** Records that the question's event was handed to a subscription's transport. */
  readonly shown: (token: string, eventId: string, to: Audience) => void;
  /** Whether the question's event was handed to the subscription's transport. Known for open questions and for the newest 256 that are over. */
  readonly wasShown: (token: string, subscriptionId: string) => boolean;
  /** Takes a reply. The first valid reply wins. Returns whether this one counted, and no more (R19). */
  readonly reply: (reply: Reply, replier: Replier, raw: unknown) => boolean;
  /**
   * Checks the audience of all open questions, because a subscription came, ended or changed its terms. `takenSession` names a session that has come
   * to another connection, whose subscriptions never counted as its audience (R5).
   */
  readonly audienceChanged: (takenSession?: string) => void;
  /** Calls `done` once, when the question's outcome is safe; at once if it is safe already. */
  readonly whenResolved: (token: string, done: (resolved: ResolvedQuestion) => void) => void;
  /** Forgets the outcomes of a session. */
  readonly forgetSession: (sessionId: string) => void;
  /** Returns a promise that resolves when the audit log has every outcome; undefined if it has them already. */
  readonly audited: () => Promise<void> | undefined;
  /** Leaves open questions to the next boot, because the daemon stops. From now on no default applies, whichever subscription ends (R8b). */
  readonly leaveOpen: () => void;
  /** Cancels the timers. Open questions stay open for the next boot. */
  readonly close: () => void;
}
