// What open questions need of the engine, and what they answer to; how they are decided is in questions.ts (AAEP ch. 6).
import type { Audit } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { JournaledEvent } from "../event/event.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { AbleSubscriptions } from "../terms/answering.js";
import type { TurnSlices } from "../time/turn-slices.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { DurableQuestion } from "./durable-questions.js";
import type { HostDecision, QuestionResult, ResolvedQuestion } from "./question-result.js";
import type { Reply } from "./reply-check.js";

export type ReminderPoint = "half" | "nine_tenths";

export interface QuestionLimits {
  readonly clockSkewMs: Millis;
  /** How long a question waits for the first subscription that can answer it, ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** How long one waits after the last such subscription has gone, ms (R7). */
  readonly reconnectGraceMs: Millis;
}

export interface QuestionsOptions {
  readonly wakeUps: WakeUps;
  /** Defaults and reminders that come all at once go out in slices. */
  readonly slices: TurnSlices;
  readonly now: () => Millis;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  /** Read each time that one is needed. */
  readonly limits: QuestionLimits;
  readonly audit: Audit;
  /** How many subscriptions can answer a question now. */
  readonly countAble: () => AbleSubscriptions;
  /** Whether a session's agent is away and may come back (R8). */
  readonly isAgentAway: (sessionId: string) => boolean;
  /**
   * Until when the listeners that a session had in the run before may be on their way back: a question that is asked in it until then, as one that
   * a kill lost is asked once more, waits so long for somebody who can answer (R6, R8b). In the past for every other session.
   */
  readonly returnUntil: (sessionId: string) => Millis;
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
  readonly durableState?: DurableState;
  /** Told what somebody threw who was told an outcome. Default: nobody. */
  readonly accident?: (caught: unknown) => void;
  /** Answers when all that was journaled is safe, undefined where it is; throws or rejects while it cannot be (R29). Default: it is. */
  readonly whenDurable?: () => Promise<void> | undefined;
}

/** A subscription, as the audit log names it. */
export interface Audience {
  readonly subscriptionId: string;
  readonly subscriberId: string;
}

/** Who replies. */
export interface Replier extends Audience {
  readonly isEntitled: (question: OpenQuestion) => boolean;
  /** A reply with this token did not count, or, as it could not be stored, does not count after all. */
  readonly notTaken: (token: string) => void;
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
   * audience only after it had one in this run and its agent's grace is over (R8b); what was due meanwhile gets its default now.
   */
  readonly restore: (questions: readonly DurableQuestion[], log: Pick<Log, "error">) => void;
  /**
   * Its agent closes a question: takes it back (AAEP §6.8), or says what was decided in a dialog of its own (R5a). False: it is not open. Throws
   * "invalid_params" for a decision of what is no confirmation.
   */
  readonly cancel: (token: string, byHost: HostDecision | undefined) => boolean;
  /**
   * Applies the defaults of a session's questions that have come due and wait for their turn: what is said next in it follows their outcomes. With
   * `isAtOnce` the session is told of them, and of all else that is decided, though that is not safe yet: it is about to end, or its agent to go on.
   */
  readonly settleDue: (sessionId: string, isAtOnce: boolean) => void;
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
  /** Whether its event was handed to the transport of that subscription: of open questions, and of the newest 256 that are over. */
  readonly wasShown: (token: string, subscriptionId: string) => boolean;
  /** The first valid reply wins; the answer says only whether it was this one (R19). */
  readonly reply: (reply: Reply, replier: Replier, raw: unknown) => boolean;
  /**
   * A subscription came, went or changed its terms; or this session has come to another connection, whose subscriptions then were nobody to ask in it
   * from the first (R5).
   */
  readonly audienceChanged: (takenSession?: string) => void;
  /** Tells `done` once, when the question has its outcome and that is safe: at once where it has one already. */
  readonly whenResolved: (token: string, done: (resolved: ResolvedQuestion) => void) => void;
  /** Forgets outcomes of a session. */
  readonly forgetSession: (sessionId: string) => void;
  /** Answers when the audit log has every outcome that there is; undefined where it has. */
  readonly audited: () => Promise<void> | undefined;
  /** The daemon stops, and the next run has what is open: from here on no default applies, whoever goes (R8b). */
  readonly leaveOpen: () => void;
  /** Lets go of the clock; what is open stays so for the next run. */
  readonly close: () => void;
}
