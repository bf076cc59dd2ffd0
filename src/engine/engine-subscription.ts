// One subscription as those who hold it see it: its member of the hub, and what it has to do with the questions of the engine (R14, R17, R28).
import type { Millis } from "../contracts/clock.js";
import type { Repeats } from "./catch-up/repeats.js";
import type { ClosureReason, EngineAccounts } from "./engine-status.js";
import type { AgentEvent, Epoch, JournaledEvent } from "./event/event.js";
import type { Member, MemberStatus } from "./hub/member-spec.js";
import type { Resumed } from "./hub/resume-start.js";
import type { Questions, Replier } from "./questions/questions-spec.js";
import type { Reply } from "./questions/reply-check.js";
import { createReplyNotices, type ReplyNotices } from "./questions/reply-notices.js";
import type { ConnectionNews, SharedConnections } from "./questions/shared-connections.js";
import type { OpenQuestion } from "./sessions/session-record.js";
import type { Drained, Taken } from "./subscriptions/stream.js";
import { canAnswer } from "./terms/answering.js";
import type { Terms } from "./terms/terms.js";
import type { WakeUps } from "./time/wake-ups.js";
import type { Checkpoint } from "./views/delivery.js";
import { viewKey } from "./views/view-terms.js";

/** A subscription under way. Its functions need it: they are not to be handed on without it. */
export interface EngineSubscription
  extends Omit<
    Member,
    "skipAll" | "repeat" | "wake" | "cursorIn" | "expedite" | "close" | "end" | "askOpen" | "limitsChanged" | "cursor"
  > {
  readonly id: string;
  /** How the place was met that it named when it came back (R17); undefined for a newcomer. */
  readonly resumed: Resumed | undefined;
  /** The place that it has reached with all that was taken so far, for its client to keep (R17). Undefined where it has none yet. */
  readonly cursor: () => string | undefined;
  /**
   * The same where its terms ask for checkpoints and it moved since it was last asked for by either method; undefined in between. `isDue`: whether it
   * is time for one; after a skip of everything it is as soon as all is said that was kept (R26).
   */
  readonly checkpoint: (isDue: boolean) => Checkpoint | undefined;
  /** R26: of one output, or with no output of everything that waits. */
  readonly skip: (sessionId: string | undefined, outputId: string | undefined) => void;
  /**
   * Sends again what it was sent, at once: an event that the journal still holds, what was merged of such, or an open question (R28). Sums and gaps
   * are not (R12). Throws "not_found".
   */
  readonly repeat: (eventId: string) => void;
  /** The questions that it may answer, as it is sent them (R14, R28). It was shown those that it is told here. */
  readonly openQuestions: () => readonly AgentEvent[];
  /** Whether this reply was the one that counted. Says nothing of why not (R19). */
  readonly reply: (reply: Reply, raw: unknown) => boolean;
  /** Answers when all that was journaled so far is safe, undefined where it is; throws or rejects while it cannot be (R29). */
  readonly safety: () => Promise<void> | undefined;
  /** A reply that is not well formed, or not this subscription's; for the audit log. */
  readonly refusedReply: (fate: RefusedFate, token: string, raw: unknown) => void;
  readonly wantsCheckpoints: () => boolean;
  /** Default reason: "subscriber". */
  readonly close: (reason?: ClosureReason) => void;
}

type RefusedFate = "malformed" | "wrong_subscription";

/** What the engine gives to all of its subscriptions. */
export interface SubscriptionServices {
  readonly accounts: Pick<EngineAccounts, "opened" | "closed">;
  /** The daemon stops, and the next run delivers what is owed (R8b). */
  readonly isLeaving: () => boolean;
  readonly questions: Pick<Questions, "audienceChanged" | "reply" | "sessionOf" | "shown" | "wasShown">;
  readonly repeats: Pick<Repeats, "find">;
  readonly now: () => Millis;
  readonly wakeUps: Pick<WakeUps, "at">;
  readonly safety: () => Promise<void> | undefined;
  readonly connections: Pick<SharedConnections, "answered" | "ownSessions" | "join">;
  /** What is open and can be answered by these terms. */
  readonly questionsFor: (terms: Terms) => readonly OpenQuestion[];
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  /** The last events of sessions that have ended and are remembered. */
  readonly terminals: () => readonly JournaledEvent[];
  readonly recordReply: (fate: RefusedFate, token: string, raw: unknown, id: string, subscriberId: string) => void;
}

export interface OpenedMember {
  readonly id: string;
  readonly subscriberId: string;
  readonly resumed: Resumed | undefined;
  readonly member: Member;
  /** Where an agent may speak over it as well (R5). */
  readonly connection: object | undefined;
  /** Told of a reply of its own that did not count, where its terms ask for that (R19). */
  readonly replyNotTaken: (token: string) => void;
}

/** The terms of a subscription over this connection: an agent over the same one makes a difference to what they let it answer (R5). */
export function withOwnSessions(
  terms: Terms,
  connection: object | undefined,
  connections: Pick<SharedConnections, "ownSessions">,
): Terms {
  const ownSessions = connections.ownSessions(connection);
  return ownSessions === terms.ownSessions ? terms : { ...terms, ownSessions };
}

/** Takes a new member into the engine's accounts, and answers what its holder has of it. */
export function createEngineSubscription(opened: OpenedMember, services: SubscriptionServices): EngineSubscription {
  return new HeldSubscription(opened, services);
}

/** A class, because there is one for each subscription. It is its own replier, and hears itself what becomes of its connection. */
class HeldSubscription implements EngineSubscription, Replier, ConnectionNews {
  readonly id: string;
  readonly subscriberId: string;
  readonly resumed: Resumed | undefined;
  private readonly member: Member;
  private readonly services: SubscriptionServices;
  private readonly connection: object | undefined;
  private readonly leaveConnection: () => void;
  private readonly replyNotTaken: (token: string) => void;
  private notices: ReplyNotices | undefined;
  // The last cursor that its client was told, and up to where the last checkpoint after a skip of everything has to be.
  private told: string | undefined;
  private skippedTo: Epoch = Number.POSITIVE_INFINITY;
  // What left by the terms before these can be asked for as well (R28).
  private former: Terms | undefined;

  constructor(opened: OpenedMember, services: SubscriptionServices) {
    const { id, subscriberId, resumed, member, connection, replyNotTaken } = opened;
    this.id = id;
    this.subscriberId = subscriberId;
    this.resumed = resumed;
    this.member = member;
    this.services = services;
    this.connection = connection;
    this.replyNotTaken = replyNotTaken;
    this.leaveConnection = services.connections.join(connection, this);
    services.accounts.opened(id, subscriberId, member);
    services.questions.audienceChanged();
  }

  get subscriptionId(): string {
    return this.id;
  }

  terms(): Terms {
    return this.member.terms();
  }

  take(only?: "critical"): Taken {
    return this.member.take(only);
  }

  cursor(): string | undefined {
    this.told = this.member.cursor()?.cursor;
    return this.told;
  }

  wantsCheckpoints(): boolean {
    return this.member.terms().checkpoints;
  }

  checkpoint(isDue: boolean): Checkpoint | undefined {
    const { member } = this;
    if ((!isDue && this.skippedTo === Number.POSITIVE_INFINITY) || !member.terms().checkpoints || member.isClosed())
      return undefined;
    const reached = member.cursor();
    if (reached === undefined || reached.cursor === this.told) return undefined;
    if (!isDue && reached.after < this.skippedTo) return undefined;
    this.skippedTo = Number.POSITIVE_INFINITY;
    this.told = reached.cursor;
    return reached;
  }

  setBlocked(blocked: boolean): void {
    this.member.setBlocked(blocked);
  }

  retune(asked: Terms): void {
    const { member } = this;
    const terms = withOwnSessions(asked, this.connection, this.services.connections);
    if (viewKey(terms) !== viewKey(member.terms())) this.former = member.terms();
    member.retune(terms);
    this.services.questions.audienceChanged();
  }

  agentOpened(): void {
    this.retune(this.member.terms());
  }

  sessionLost(): void {
    this.member.askOpen();
  }

  skipOutput(output: string): void {
    this.member.skipOutput(output);
  }

  skip(sessionId: string | undefined, outputId: string | undefined): void {
    if (sessionId !== undefined) this.member.skipOutput(`${sessionId}/${outputId ?? ""}`);
    else this.skippedTo = this.member.skipAll(this.services.terminals);
  }

  repeat(eventId: string): void {
    const { member } = this;
    member.repeat(this.services.repeats.find(eventId, member.terms(), this.former));
  }

  openQuestions(): readonly AgentEvent[] {
    const { questions, questionsFor, shapeEvent } = this.services;
    const terms = this.member.terms();
    return questionsFor(terms).map(({ token, event }) => {
      questions.shown(token, event.event_id, { subscriptionId: this.id, subscriberId: this.subscriberId });
      return shapeEvent(event, terms);
    });
  }

  reply(reply: Reply, raw: unknown): boolean {
    const { questions, connections } = this.services;
    const sessionId = questions.sessionOf(reply.token);
    const hasCounted = questions.reply(reply, this, raw);
    if (hasCounted && sessionId !== undefined) connections.answered(this.connection, sessionId);
    return hasCounted;
  }

  safety(): Promise<void> | undefined {
    return this.services.safety();
  }

  refusedReply(fate: RefusedFate, token: string, raw: unknown): void {
    this.services.recordReply(fate, token, raw, this.id, this.subscriberId);
    this.notTaken(token);
  }

  notTaken(token: string): void {
    const { member, services } = this;
    if (member.isClosed() || !member.terms().replyStatus || !services.questions.wasShown(token, this.id)) return;
    this.notices ??= createReplyNotices(this.replyNotTaken, services.now, services.wakeUps);
    this.notices.notTaken(token);
  }

  drain(): Drained {
    return this.services.isLeaving() ? { kind: "done" } : this.member.drain();
  }

  close(reason: ClosureReason = "subscriber"): void {
    const { member, services } = this;
    if (member.isClosed()) return;
    services.accounts.closed(this.id, reason);
    member.close();
    this.notices?.close();
    this.leaveConnection();
    services.questions.audienceChanged();
  }

  isClosed(): boolean {
    return this.member.isClosed();
  }

  status(): MemberStatus {
    return this.member.status();
  }

  isEntitled(question: OpenQuestion): boolean {
    return !this.member.isClosed() && canAnswer(this.member.terms(), question.kind, question.sessionId);
  }
}
