// An open question with its audience and its timers (AAEP §6.4, R6, R7, R8b), its form in the durable state (R8, R29), and the services that
// questions need.
import type { Millis } from "../../contracts/clock.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { JournaledEvent } from "../event/event.js";
import {
  type EntryRecord,
  entryFrom,
  entryRecord,
  type Instant,
  pastInstant,
  readDurable,
} from "../journal/durable-entry.js";
import type { SessionCounts } from "../sessions/session-limits.js";
import { permitsOf } from "../sessions/session-questions.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { AbleCount } from "../terms/answering.js";
import type { OutcomesServices } from "./question-outcomes.js";
import type { DefaultedBy, QuestionResult } from "./question-result.js";

export type ReminderPoint = "half" | "nine_tenths";

export interface QuestionLimits {
  /** Wait of a question for the first subscription that can answer it, in ms (R6). */
  readonly confirmationGraceMs: Millis;
  /** Wait of a question after the last such subscription has ended, in ms (R7). */
  readonly reconnectGraceMs: Millis;
  /** Default `SESSION_COUNTS`. */
  readonly sessionCounts?: SessionCounts;
}

export interface QuestionsServices extends OutcomesServices {
  /** Does work in a turn that has room for it, perhaps now. What it throws goes to the log. */
  readonly inTurn: (work: () => void) => void;
  /** Read again for each use. */
  readonly limits: QuestionLimits;
  /** Counts the subscriptions that can answer a question now. */
  readonly countAble: () => AbleCount;
  /** Whether a session's agent is away and may come back (R8). */
  readonly isAgentAway: (sessionId: string) => boolean;
  /**
   * Until when the listeners of a session may be on their way back after a restart. A question asked before this instant, for example one that a kill
   * lost and its agent asks again, waits at least so long for a subscription that can answer (R6, R8b). In the past for sessions of this boot.
   */
  readonly returnUntil: (sessionId: string) => Millis;
  /**
   * Publishes the resolution; called once per outcome, at its instant. Returns when the resolution is safe, or undefined if it is safe at once (R29).
   * Throws "storage_unavailable" if it cannot be written. The question then stays open.
   */
  readonly resolve: (question: OpenQuestion, result: QuestionResult) => Promise<void> | undefined;
  /** Called when half and nine tenths of a long timeout have passed (AAEP §6.4.3). */
  readonly remind: (question: OpenQuestion, passed: ReminderPoint, remainingSeconds: number) => void;
  /** Called when a question begins or stops to wait for a person. An agent may stop its own clocks meanwhile. */
  readonly waiting: (question: OpenQuestion, isWaiting: boolean) => void;
}

/** Questions with a timeout up to this have no reminders (AAEP §6.4.3). */
const SHORT_TIMEOUT_SECONDS = 60;
const REMINDERS = [
  ["half", 0.5],
  ["nine_tenths", 0.9],
] as const;

export class PendingQuestion {
  readonly question: OpenQuestion;
  /** Its event as it was published. */
  readonly entry: JournaledEvent;
  readonly deadline: Millis;
  /** Ids of the subscriptions that were shown the question. */
  readonly shownTo = new Set<string>();
  /** A default applies or an outcome is being published: no reply counts any more. While the journal refuses a default, it is tried again. */
  isDecided = false;
  isWaiting = false;
  /** Why its default waits for a turn (R34); undefined if it does not. */
  due: DefaultedBy | undefined;
  private hadAudience = false;
  /** The question was asked in the previous boot, so its audience may be on the way back. */
  private readonly isRestored: boolean;
  private readonly services: QuestionsServices;
  private readonly comeDue: (one: PendingQuestion, resolvedBy: DefaultedBy) => void;
  private readonly timers: (() => void)[] = [];
  private cancelGrace: (() => void) | undefined;

  /** `comeDue` is called at the deadline, and when no subscription can answer and no grace is left. */
  constructor(
    question: OpenQuestion,
    entry: JournaledEvent,
    isRestored: boolean,
    services: QuestionsServices,
    comeDue: (one: PendingQuestion, resolvedBy: DefaultedBy) => void,
  ) {
    this.question = question;
    this.entry = entry;
    this.deadline = question.at + secondsOf(question) * 1000;
    this.isRestored = isRestored;
    this.services = services;
    this.comeDue = comeDue;
  }

  /** Arms the deadline, and the reminders of a long question. A reminder whose time passed while the daemon was down is left out. */
  arm(): void {
    const { question, services } = this;
    this.wakeAt(this.deadline, () => this.comeDue(this, "timeout"));
    const seconds = secondsOf(question);
    if (seconds <= SHORT_TIMEOUT_SECONDS) return;
    for (const [passed, share] of REMINDERS) {
      const at = question.at + seconds * share * 1000;
      const due = (): void => {
        if (!this.isDecided) services.remind(question, passed, Math.round(seconds * (1 - share)));
      };
      if (at > services.clock.now()) this.wakeAt(at, due);
    }
  }

  /** Calls `due` at an instant, unless the question is over by then. */
  wakeAt(at: Millis, due: () => void): void {
    this.timers.push(this.services.wakeUps.at(at, due));
  }

  /** Cancels the timers. */
  cancel(): void {
    for (const cancel of this.timers) cancel();
    this.cancelGrace?.();
  }

  setWaiting(isWaiting: boolean): void {
    if (this.isWaiting === isWaiting) return;
    this.isWaiting = isWaiting;
    this.services.waiting(this.question, isWaiting);
  }

  /** The question's session has come to another connection, whose subscriptions never counted as audience, because no agent answers itself (R5). */
  sessionTaken(): void {
    if (!this.isRestored) this.hadAudience = false;
  }

  /** A question that no subscription can answer gets its default when its grace is over (R6, R7, R8b). */
  checkAudience(able: AbleCount): void {
    if (this.isDecided) return;
    if (able(this.question) > 0) {
      this.hadAudience = true;
      if (this.due !== "timeout") this.due = undefined;
      this.cancelGrace?.();
      this.cancelGrace = undefined;
      this.setWaiting(true);
      return;
    }
    const { limits, clock, wakeUps, returnUntil, isAgentAway } = this.services;
    const now = clock.now();
    const { sessionId } = this.question;
    // After a restart, the agent and the subscriptions that can answer may be on the way back.
    const mayReturn = this.isRestored && (!this.hadAudience || isAgentAway(sessionId));
    if (this.cancelGrace !== undefined || mayReturn) return;
    const resolvedBy = this.hadAudience ? "subscription_ended" : "no_subscriber";
    const returnMs = returnUntil(sessionId) - now;
    const graceMs = this.hadAudience ? limits.reconnectGraceMs : Math.max(limits.confirmationGraceMs, returnMs);
    if (graceMs === 0) {
      this.comeDue(this, resolvedBy);
      return;
    }
    this.setWaiting(false);
    this.cancelGrace = wakeUps.at(now + graceMs, () => this.comeDue(this, resolvedBy));
  }
}

/** The question's timeout in seconds. */
function secondsOf({ event }: OpenQuestion): number {
  return typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
}

/** A question, and its event as it was published. */
export interface DurableQuestion {
  readonly question: OpenQuestion;
  readonly entry: JournaledEvent;
}

interface QuestionRecord {
  readonly kind: OpenQuestion["kind"];
  readonly agentId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly ordinal: number;
  readonly entry: EntryRecord;
}

/** Stores a question until it has its outcome. `receivedAt`: milliseconds since 1970; in the next boot the clock on the wall counts (R40). */
export function keepQuestion(durableState: DurableState, kept: DurableQuestion, receivedAt: number): void {
  const { token, kind, agentId, ordinal } = kept.question;
  durableState.put(["question", token], () => {
    return { kind, agentId, receivedAt, ordinal, entry: entryRecord(kept.entry) } satisfies QuestionRecord;
  });
}

export function forgetQuestion(durableState: DurableState, token: string): void {
  durableState.put(["question", token], () => undefined);
}

/**
 * Reads the questions that were open, in the order in which they were asked. Their deadlines keep their wall clock time. If the wall clock was put
 * back meanwhile, a question counts from now and is stored again, so that nobody waits longer than its timeout.
 */
export function durableQuestions(
  durableState: DurableState,
  log: Pick<Log, "error">,
  present: Instant,
): readonly DurableQuestion[] {
  const found: DurableQuestion[] = [];
  readDurable(durableState, ["question"], log, (value) => {
    const record = value as QuestionRecord;
    const { kind, agentId, ordinal } = record;
    const receivedAt = Math.min(record.receivedAt, present.wallTime);
    const at = pastInstant(receivedAt, present);
    const entry = entryFrom(record.entry, at);
    const { event } = entry;
    const { session_id: sessionId, reply_token: token } = event;
    const permits = permitsOf(event);
    const question = { kind, token: String(token), sessionId, agentId, event, at, ordinal, permits };
    found.push({ question, entry });
    if (receivedAt < record.receivedAt) keepQuestion(durableState, { question, entry }, receivedAt);
  });
  return found.sort((a, b) => a.entry.epoch - b.entry.epoch);
}
