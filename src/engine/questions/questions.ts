// Open questions: their audience, their deadline, and the one outcome of each (AAEP ch. 6, R6, R7, R19). The rooms agents and notices announce a
// question. The room sessions knows the effect of an outcome on its session.
import { Fault } from "../../base/errors.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import { isHostDialog } from "../event/own-members.js";
import { checkQuestionRoom, SESSION_COUNTS, type SessionCounts } from "../sessions/session-limits.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import {
  type DurableQuestion,
  forgetQuestion,
  keepQuestion,
  PendingQuestion,
  type QuestionsServices,
} from "./pending-question.js";
import { type Decider, QuestionOutcomes } from "./question-outcomes.js";
import {
  askedOf,
  CANCELLED,
  type DefaultedBy,
  faultOfReply,
  type HostDecision,
  LEFT_TO_HOST,
  type QuestionResult,
  type Reply,
  type ResolvedQuestion,
  resultOfDefault,
  resultOfHost,
  resultOfReply,
} from "./question-result.js";

interface Audience {
  readonly id: string;
  readonly subscriberId: string;
}

/** The subscription that replies. */
export interface Replier {
  readonly subscription: Audience;
  readonly isEntitled: (question: OpenQuestion) => boolean;
  /** Reports that a reply with this token did not count. */
  readonly notTaken: (token: string) => void;
}

/** Wait before a default that the journal did not take is tried again, in ms. */
const RETRY_MS = 1000;
/** Questions that are over and of which it is remembered who was shown them, the newest. */
const SHOWN_KEPT_COUNT = 256;

export class Questions {
  private readonly services: QuestionsServices;
  private readonly counts: SessionCounts;
  private readonly pending = new Map<string, PendingQuestion>();
  private readonly byEventId = new Map<string, PendingQuestion>();
  /** Subscriptions that were shown a question that is over. One of them that answers too late gets a notice (R19). */
  private readonly shownBefore = new Map<string, ReadonlySet<string>>();
  readonly outcomes: QuestionOutcomes;
  /** The daemon stops and leaves open questions to the next boot: no default applies any more (R8b). */
  private isLeaving = false;

  constructor(services: QuestionsServices) {
    this.services = services;
    this.counts = services.limits.sessionCounts ?? SESSION_COUNTS;
    this.outcomes = new QuestionOutcomes(services, this.counts.outcomes);
  }

  /** Opens a question whose event was published as `entry`. If no subscription can answer it, and there is no grace, its default applies. */
  asked(question: OpenQuestion, entry: JournaledEvent): void {
    const one = this.begin(question, entry);
    one.arm();
    one.checkAudience(this.services.countAble());
  }

  /**
   * Closes a question that its agent withdrew by an event, which is safe when `durable` settles. The session knows this already. `entry` is given if
   * one publish both asked and withdrew the question.
   */
  withdrawn(question: OpenQuestion, durable: Promise<void> | undefined, entry?: JournaledEvent): void {
    const one = entry === undefined ? this.pending.get(question.token) : this.begin(question, entry);
    if (one !== undefined) this.conclude(one, CANCELLED, undefined, durable);
  }

  /**
   * Takes over all outcomes and the open questions of the previous boot; their sessions know them already. A question waits until its deadline. For
   * lack of an audience it ends only after it had one in this boot and its agent is not away (R8b). A question whose deadline has passed gets its
   * default now.
   */
  restore(questions: readonly DurableQuestion[]): void {
    this.outcomes.restore();
    const restored = questions.map(({ question, entry }) => this.take(question, entry, true));
    const now = this.services.clock.now();
    for (const one of restored) if (one.deadline > now) one.arm();
    for (const one of restored) if (one.deadline <= now) this.applyDefault(one, "timeout");
  }

  /**
   * Closes a question for its agent, which takes it back (AAEP §6.8) or reports a decision from a dialog of its own (R5a). Returns false if the
   * question is not open. Throws "invalid_params" for a decision about a question that is no confirmation.
   */
  cancel(token: string, byHost: HostDecision | undefined): boolean {
    const one = this.answerable(token);
    if (one === undefined) return false;
    this.resolve(one, byHost === undefined ? CANCELLED : resultOfHost(one.question, byHost));
    return true;
  }

  /**
   * Leaves a question to the window of its host: it is cancelled, and its listeners are told to answer there (R5b). The rights are those of a reply.
   * Throws "not_found" for a question that `replier` could not answer now, "invalid_params" for one that no host asks.
   */
  leave(token: string, replier: Replier): void {
    const one = this.answerable(token);
    if (one === undefined || !mayAnswer(one, replier)) {
      const sentence = "Name an open question that this subscription was asked.";
      throw new Fault("not_found", sentence, { pointer: "/reply_token", rule: "R5b" });
    }
    if (!isHostDialog(one.question.event)) {
      const sentence = "Answer this question by a reply; its agent asks it nowhere else.";
      throw new Fault("invalid_params", sentence, { pointer: "/reply_token", rule: "R5b" });
    }
    this.resolve(one, LEFT_TO_HOST, namedForAudit(replier.subscription));
  }

  /** Takes a reply. The first valid reply wins. Returns whether this one counted, and no more (R19). */
  reply(reply: Reply, replier: Replier, raw: unknown): boolean {
    const token_is_open = this.pending.has(reply.token);
    const by = { ...namedForAudit(replier.subscription), reply: raw };
    const one = this.pending.get(reply.token);
    const fate = this.fateOf(one, reply, replier, by);
    if (fate === "counted") return true;
    this.services.audit.record({ kind: "reply", fate, reply_token: reply.token, token_is_open, ...by });
    replier.notTaken(reply.token);
    // The timer may fire late; replies after the deadline expire all the same.
    if (one !== undefined && this.services.clock.now() >= one.deadline) this.comeDue(one, "timeout");
    return false;
  }

  /** Open questions in the order in which they were asked. */
  open(): readonly OpenQuestion[] {
    return [...this.pending.values()].flatMap((one) => (one.isDecided ? [] : [one.question]));
  }

  /** Open questions whose event is behind an epoch, in the same order. The caller stops when it has enough. */
  *openAfter(after: Epoch): Iterable<DurableQuestion> {
    for (const one of this.pending.values()) if (one.entry.epoch > after && !one.isDecided) yield one;
  }

  openCount(): number {
    return this.pending.size;
  }

  /** Throws "rate_limit" if so many questions do not fit among the open ones of all sessions. */
  checkRoom(askedCount: number): void {
    checkQuestionRoom(this.counts, this.pending.size, askedCount);
  }

  find(token: string): OpenQuestion | undefined {
    return this.answerable(token)?.question;
  }

  /** The event of an open question as it was published, however long ago. */
  entryOf(eventId: string): JournaledEvent | undefined {
    const one = this.byEventId.get(eventId);
    return one?.isDecided === false ? one.entry : undefined;
  }

  /** Whether the question waits for a person. */
  isWaiting(token: string): boolean {
    return this.pending.get(token)?.isWaiting === true;
  }

  /**
   * The outcome of a question; "open" also while its outcome is not safe yet (R29). Known are the newest 256 of each session, until the session is
   * forgotten, and 8 MiB of all sessions together. Undefined for others.
   */
  outcomeOf(token: string): ResolvedQuestion | "open" | undefined {
    const outcome = this.pending.has(token) ? "unsafe" : this.outcomes.find(token);
    return outcome === "unsafe" ? "open" : outcome;
  }

  /** The session of a question that is open, or whose outcome is remembered. */
  sessionOf(token: string): string | undefined {
    return this.pending.get(token)?.question.sessionId ?? this.outcomes.sessionOf(token);
  }

  /** Number of subscriptions that were shown the question. */
  shownCount(token: string): number {
    return this.pending.get(token)?.shownTo.size ?? 0;
  }

  /** Records that the question's event was handed to a subscription's transport. */
  shown(token: string, eventId: string, to: Audience): void {
    if (this.wasShown(token, to.id)) return;
    this.pending.get(token)?.shownTo.add(to.id);
    this.services.audit.record({ kind: "shown", event_id: eventId, reply_token: token, ...namedForAudit(to) });
  }

  /** Whether the question's event was handed to the subscription's transport. Known for open questions and for the newest 256 that are over. */
  wasShown(token: string, subscriptionId: string): boolean {
    return (this.pending.get(token)?.shownTo ?? this.shownBefore.get(token))?.has(subscriptionId) === true;
  }

  /**
   * Checks the audience of all open questions, because a subscription came, ended or changed its terms. `takenSession` names a session that has come
   * to another connection, whose subscriptions never counted as its audience (R5).
   */
  audienceChanged(takenSession?: string): void {
    if (this.isLeaving || this.pending.size === 0) return;
    const now = this.services.countAble();
    for (const one of [...this.pending.values()]) {
      if (one.question.sessionId === takenSession) one.sessionTaken();
      one.checkAudience(now);
    }
  }

  /** Leaves open questions to the next boot, because the daemon stops. From now on no default applies, whichever subscription ends (R8b). */
  leaveOpen(): void {
    this.isLeaving = true;
  }

  /** Cancels the timers. Open questions stay open for the next boot. */
  close(): void {
    this.isLeaving = true;
    this.outcomes.close();
    for (const one of this.pending.values()) one.cancel();
  }

  /** The question, if a reply can still decide it. */
  private answerable(token: string): PendingQuestion | undefined {
    const one = this.pending.get(token);
    return one?.isDecided === false ? one : undefined;
  }

  private begin(question: OpenQuestion, entry: JournaledEvent): PendingQuestion {
    const { journal, audit } = this.services;
    const one = this.take(question, entry, false);
    keepQuestion(journal.durableState, one, this.wallTimeOf(question.at));
    audit.record({ kind: "asked", event: question.event });
    return one;
  }

  private take(question: OpenQuestion, entry: JournaledEvent, isRestored: boolean): PendingQuestion {
    const due = (one: PendingQuestion, resolvedBy: DefaultedBy): void => this.comeDue(one, resolvedBy);
    const one = new PendingQuestion(question, entry, isRestored, this.services, due);
    this.pending.set(question.token, one);
    this.byEventId.set(question.event.event_id, one);
    return one;
  }

  /** An instant of the monotonic clock as the clock on the wall shows it now, ms since 1970 (R40). */
  private wallTimeOf(at: Millis): number {
    return this.services.clock.wallTime() + at - this.services.clock.now();
  }

  /** Decides the fate of a reply. The audit log gets a reply that counts together with its outcome, once that is safe (AAEP §10 T3, R29). */
  private fateOf(one: PendingQuestion | undefined, reply: Reply, replier: Replier, by: Decider): ReplyFate {
    if (one === undefined) {
      return this.outcomes.find(reply.token) !== undefined ? "already_resolved" : "unknown_token";
    }
    if (this.services.clock.now() >= one.deadline) return "expired";
    if (one.isDecided) return "already_resolved";
    if (!mayAnswer(one, replier)) return "not_entitled";
    const fault = faultOfReply(reply, one.question, this.wallTimeOf(one.deadline));
    if (fault !== undefined) return fault;
    try {
      this.resolve(one, resultOfReply(reply, one.question), by);
      return "counted";
    } catch (caught) {
      if (isRefusedByJournal(caught)) return "not_recorded";
      throw caught;
    }
  }

  /** Applies the default in turn (R34), unless the question is decided by then, or somebody came who can answer it. */
  private comeDue(one: PendingQuestion, resolvedBy: DefaultedBy): void {
    const isQueued = one.due !== undefined;
    if (!isQueued || resolvedBy === "timeout") one.due = resolvedBy;
    if (isQueued) return;
    this.services.inTurn(() => {
      const { due } = one;
      one.due = undefined;
      if (due !== undefined && !one.isDecided) this.applyDefault(one, due);
    });
  }

  /** Applies the default, unless the daemon leaves the question open; if the journal refuses that, again after a second. */
  private applyDefault(one: PendingQuestion, resolvedBy: DefaultedBy): void {
    if (this.isLeaving || this.pending.get(one.question.token) !== one) return;
    try {
      this.resolve(one, resultOfDefault(one.question, resolvedBy));
    } catch (caught) {
      if (!isRefusedByJournal(caught)) throw caught;
      one.isDecided = true;
      const again = (): void => this.services.inTurn(() => this.applyDefault(one, resolvedBy));
      one.wakeAt(this.services.clock.now() + RETRY_MS, again);
    }
  }

  /** Publishes the outcome of a question. An outcome that the journal did not take has not happened (R29). */
  private resolve(one: PendingQuestion, result: QuestionResult, decider?: Decider): void {
    one.isDecided = true;
    let durable: Promise<void> | undefined;
    try {
      durable = this.services.resolve(one.question, result);
    } catch (caught) {
      one.isDecided = false;
      throw caught;
    }
    this.conclude(one, result, decider, durable);
  }

  /** Closes a question that has its outcome. Every outcome passes through here. */
  private conclude(
    one: PendingQuestion,
    result: QuestionResult,
    decider: Decider | undefined,
    durable: Promise<void> | undefined,
  ): void {
    const { question } = one;
    const { token, event } = question;
    one.isDecided = true;
    this.pending.delete(token);
    this.byEventId.delete(event.event_id);
    if (one.shownTo.size > 0) {
      this.shownBefore.set(token, one.shownTo);
      keepNewest(this.shownBefore, SHOWN_KEPT_COUNT);
    }
    forgetQuestion(this.services.journal.durableState, token);
    one.cancel();
    one.setWaiting(false);
    this.outcomes.add({ question: askedOf(question), result }, decider, durable);
  }
}

/** A reply counts only from a subscription that was shown the question (R6, AAEP §10 T1). */
function mayAnswer(one: PendingQuestion, replier: Replier): boolean {
  return replier.isEntitled(one.question) && one.shownTo.has(replier.subscription.id);
}

/** A subscription in the audit log's terms. */
function namedForAudit({ id, subscriberId }: Audience) {
  return { subscription_id: id, subscriber_id: subscriberId };
}

function isRefusedByJournal(caught: unknown): boolean {
  return caught instanceof Fault && caught.code === "storage_unavailable";
}
