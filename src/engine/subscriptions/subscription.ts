// A subscription. Its parts build on one another: `Listener` (terms and briefing), `Intake` (units enter its queue), `Outlet` (units leave, critical
// ones first), `Pull` (when they leave), `Follower` (view, journal and place). This file has its holder's calls, its peer's lag, replies, and its
// end.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import type { Replier } from "../questions/questions.js";
import type { Reply } from "../questions/reply-check.js";
import { createReplyNotices, type ReplyNotices } from "../questions/reply-notices.js";
import type { ConnectionNews, SharedConnections } from "../questions/shared-connections.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import { canAnswer } from "../terms/answering.js";
import type { Terms } from "../terms/terms.js";
import type { Checkpoint, Delivery } from "../views/delivery.js";
import { unitOf } from "../views/event-units.js";
import type { EventUnit } from "../views/unit.js";
import { viewKey } from "../views/view-terms.js";
import { Follower } from "./follower.js";
import { paceOf } from "./joining.js";
import { PeerLag } from "./peer-lag.js";
import type { Resumed } from "./resume-start.js";
import type {
  ClosureReason,
  MemberSubscription,
  Outlet,
  QuestionPage,
  RefusedFate,
  SubscriptionServices,
  SubscriptionSpec,
  SubscriptionStatus,
  TerminationReason,
} from "./subscription-spec.js";
import type { Drained, Taken } from "./taken.js";

/** UTF-16 units of JSON that a page of open questions holds: as many values as a message may have. */
const PAGE_UNITS = 65_536;

/** The terms of a subscription. The sessions of agents on its connection and above its process limit what it may answer (R5, R5d). */
export function withOwnSessions(
  terms: Terms,
  { connection, lineage }: Pick<SubscriptionSpec, "connection" | "lineage">,
  connections: Pick<SharedConnections, "ownSessions">,
): Terms {
  const ownSessions = connections.ownSessions(connection, lineage);
  return ownSessions?.key === terms.ownSessions?.key ? terms : { ...terms, ownSessions };
}

export function createSubscription(spec: SubscriptionSpec, services: SubscriptionServices): MemberSubscription {
  return new PulledSubscription(spec, services);
}

/** A class, because there is one for each subscription. It is also the replier of its replies and the listener to news of its connection. */
class PulledSubscription extends Follower implements MemberSubscription, Replier, ConnectionNews {
  readonly resumed: Resumed | undefined;
  private readonly outlet: Outlet;
  readonly connection: object | undefined;
  readonly lineage: readonly number[];
  private readonly leaveConnection: () => void;
  private readonly replyNotTaken: (token: string) => void;
  private readonly peerLag = new PeerLag();
  private closed = false;
  private timer: (() => void) | undefined;
  private notices: ReplyNotices | undefined;
  // The last cursor reported to the client, and the place at which the checkpoint after a skip of everything is due.
  private told: string | undefined;
  private skippedTo: Epoch = Number.POSITIVE_INFINITY;
  // The former terms: events that left by them can be sent again too (R28).
  private former: Terms | undefined;

  constructor(spec: SubscriptionSpec, services: SubscriptionServices) {
    super(spec, services, services.hub.view(spec.terms));
    this.resumed = spec.resumed;
    this.outlet = spec.outlet;
    this.connection = spec.connection;
    this.lineage = spec.lineage;
    this.replyNotTaken = spec.replyNotTaken;
    services.hub.join(this, this.shared);
    this.begin(spec.start);
    this.leaveConnection = services.connections.join(spec.connection, spec.lineage, this);
    services.opened(this);
    services.questions.audienceChanged();
  }

  get subscriptionId(): string {
    return this.id;
  }

  terms(): Terms {
    return this.granted;
  }

  wake(): void {
    if (!this.closed) this.outlet.wake();
  }

  sendCritical(unit: EventUnit): void {
    this.sendCriticals([unit]);
    this.wake();
  }

  take(only?: "critical"): Taken {
    const { services, shared } = this;
    const now = services.now();
    const taken = this.pull(now, only);
    if (taken.kind === "batch") {
      this.noteDelivered(taken.batch.deliveries, now);
      if (!taken.isAll) return taken;
    }
    // Units that are not critical were not looked at.
    if (only === "critical") return taken;
    if (this.timer !== undefined) this.cancelTimer();
    if (taken.kind === "wait") {
      shared.ready.delete(this);
      this.timer = services.wakeUps.at(taken.until, () => {
        this.timer = undefined;
        this.outlet.wake();
      });
    } else if (this.isReady(now)) shared.ready.add(this);
    else shared.ready.delete(this);
    return taken;
  }

  setBlocked(blocked: boolean): void {
    this.markBlocked(blocked);
    if (!blocked) {
      this.peerLag.since = undefined;
      this.cancelTimer();
      return;
    }
    this.shared.ready.delete(this);
    if (this.peerLag.since === undefined) this.block();
  }

  retune(asked: Terms): void {
    const { services, granted: old } = this;
    const next = withOwnSessions(asked, this, services.connections);
    const now = services.now();
    if (viewKey(next) !== viewKey(old)) this.former = old;
    this.budget.retune(next.maxEventsPerSecond, now);
    this.setPace(paceOf(next), now);
    this.granted = next;
    const view = services.hub.view(next);
    if (view !== this.shared) {
      services.hub.join(this, view);
      this.changeView(view);
    }
    // A pause does not count as the peer's slowness (R26).
    if (this.peerLag.since !== undefined && old.paused) this.block();
    this.shared.ready.delete(this);
    this.outlet.wake();
    services.questions.audienceChanged();
  }

  agentOpened(): void {
    this.retune(this.granted);
  }

  sessionLost(): void {
    this.sendOpenQuestions(this.services.journal.head());
    this.outlet.wake();
  }

  limitsChanged(): void {
    const { since } = this.peerLag;
    if (this.closed || since === undefined) return;
    this.cancelTimer();
    this.checkLag();
    this.watchLag(since);
  }

  cursor(): string | undefined {
    this.told = this.place()?.cursor;
    return this.told;
  }

  wantsCheckpoints(): boolean {
    return this.granted.checkpoints;
  }

  checkpoint(isDue: boolean): Checkpoint | undefined {
    const isSkipping = this.skippedTo !== Number.POSITIVE_INFINITY;
    if ((!isDue && !isSkipping) || !this.granted.checkpoints || this.closed) return undefined;
    const reached = this.place();
    if (reached === undefined || reached.cursor === this.told) return undefined;
    if (!isDue && reached.after < this.skippedTo) return undefined;
    this.skippedTo = Number.POSITIVE_INFINITY;
    this.told = reached.cursor;
    return reached;
  }

  skip(sessionId: string | undefined, outputId: string | undefined): void {
    if (sessionId === undefined) this.skippedTo = this.skipWaiting();
    else if (this.hasPending() || this.services.rules.mayHaveText(sessionId, outputId ?? ""))
      this.dropOutput(`${sessionId}/${outputId ?? ""}`);
    this.outlet.wake();
  }

  repeat(eventId: string): void {
    const { resend, hub } = this.services;
    const entry = resend.find(eventId, this.granted, this.former);
    this.sendFirst([unitOf(hub.renderingOf(entry), this.shared.view, "plain")]);
    this.outlet.wake();
  }

  openQuestions(after: Epoch = 0): QuestionPage {
    const { questions, rules, shapeEvent } = this.services;
    const events: AgentEvent[] = [];
    let units = 0;
    let last = after;
    for (const { event, epoch } of rules.openQuestionsAfter(this.granted, after)) {
      const shaped = shapeEvent(event, this.granted);
      units += JSON.stringify(shaped).length;
      if (events.length > 0 && units > PAGE_UNITS) return { events, next: last };
      questions.shown(String(event.reply_token), event.event_id, this);
      events.push(shaped);
      last = epoch;
    }
    return { events, next: undefined };
  }

  reply(reply: Reply, raw: unknown): boolean {
    const { questions, connections } = this.services;
    const sessionId = questions.sessionOf(reply.token);
    const hasCounted = questions.reply(reply, this, raw);
    if (hasCounted && sessionId !== undefined) connections.answered(this.connection, sessionId);
    return hasCounted;
  }

  requestStop(sessionId: string): void {
    const { supportsConfirmationReply, supportsClarificationReply } = this.granted;
    if (!supportsConfirmationReply && !supportsClarificationReply) {
      const sentence = "Ask for replies in the capabilities first; only a subscription that may reply stops an agent.";
      throw new Fault("permission_denied", sentence, { pointer: "", rule: "R39" });
    }
    this.services.requestStop(sessionId, this);
  }

  leave(token: string): void {
    this.services.questions.leave(token, this);
  }

  whenDurable(): Promise<void> | undefined {
    return this.services.whenDurable();
  }

  refusedReply(fate: RefusedFate, token: string, raw: unknown, pointer?: string): void {
    this.services.recordReply({ fate, token, raw, pointer }, this.id, this.subscriberId);
    this.notTaken(token);
  }

  notTaken(token: string): void {
    const { services } = this;
    if (this.closed || !this.granted.replyStatus || !services.questions.wasShown(token, this.id)) return;
    this.notices ??= createReplyNotices(this.replyNotTaken, services.now, services.wakeUps);
    this.notices.notTaken(token);
  }

  isEntitled(question: OpenQuestion): boolean {
    return !this.closed && canAnswer(this.granted, question.kind, question.sessionId);
  }

  drain(): Drained {
    const { services } = this;
    if (this.closed || services.isLeaving()) return { kind: "done" };
    const now = services.now();
    const drained = this.pull(now, "all");
    if (drained.kind === "batch") this.noteDelivered(drained.batch.deliveries, now);
    return drained;
  }

  close(reason: ClosureReason = "subscriber"): void {
    if (this.closed) return;
    const { services } = this;
    services.closed(this, reason);
    this.closed = true;
    this.cancelTimer();
    this.backlog?.close();
    this.briefing()?.drop(["notices", "losses", "sums"]);
    services.hub.leave(this, this.shared);
    this.notices?.close();
    this.leaveConnection();
    services.questions.audienceChanged();
  }

  isClosed(): boolean {
    return this.closed;
  }

  end(reason: TerminationReason): void {
    if (reason === "producer_error") this.standStill();
    this.outlet.ended(reason, this);
  }

  cursorIn(view: SharedView, window: number): number | undefined {
    if (view !== this.shared) return undefined;
    // A subscription that reads the journal can fall too far behind there as well (R18).
    this.checkLag();
    if (this.closed) return undefined;
    const { granted, peerLag } = this;
    const mayEnqueue = granted.maxEventsPerSecond !== undefined && !granted.paused && peerLag.since === undefined;
    return this.cursorBefore(window, mayEnqueue);
  }

  status(): SubscriptionStatus {
    const { services, peerLag, backlog } = this;
    const untakenCount = this.untakenCount();
    const isHeld = this.waiting() > 0 || untakenCount > 0;
    return {
      waitingCount: this.waiting(),
      readAheadCount: backlog?.released().length ?? 0,
      rememberedCount: this.remembered(),
      behind: backlog !== undefined,
      blockedSince: peerLag.since,
      reads: backlog !== undefined ? "journal" : isHeld ? "queue" : "live",
      untakenCount,
      ...this.account,
      lag: peerLag.now(this.granted.paused, services.now, services.journal.head()),
    };
  }

  private hasPending(): boolean {
    return !this.isAtEnd() || this.isBehind(this.shared.view);
  }

  /** Freezes the place after an error, since a later place would cover units that were not taken. */
  private pull(now: Millis, only: "all"): Drained;
  private pull(now: Millis, only: "critical" | undefined): Taken;
  private pull(now: Millis, only: "all" | "critical" | undefined): Drained | Taken {
    try {
      if (only === undefined) return this.next(now);
      return only === "critical" ? this.nextCritical(now) : this.drainNext(now);
    } catch (caught) {
      this.standStill();
      throw caught;
    }
  }

  private noteDelivered(deliveries: readonly Delivery[], now: Millis): void {
    const { hub } = this.services;
    const count = deliveries.length;
    this.account.counts.delivered += count;
    hub.noteDelivered(count, now);
    // One look at the clock and one at the batch: its first delivery is its oldest, except behind a critical one that goes ahead.
    const at = deliveries[0]?.at;
    if (at === undefined || !this.isLiveSince(at)) return;
    const { limited, unlimited } = hub.latencies;
    (this.isHeldByTerms() ? limited : unlimited).note(now - at, count);
  }

  private cancelTimer(): void {
    this.timer?.();
    this.timer = undefined;
  }

  private checkLag(): void {
    const { services, closed, granted, peerLag } = this;
    const { lag } = services.rules.limits;
    if (closed || !peerLag.exceeds(lag, granted.paused, services.now, services.journal.head())) return;
    this.outlet.ended("lagging", this);
  }

  private block(): void {
    const { services } = this;
    this.cancelTimer();
    this.watchLag(this.peerLag.begin(services.now, services.journal.head()));
  }

  private watchLag(since: Millis): void {
    const { wakeUps, rules } = this.services;
    this.timer = wakeUps.at(since + rules.limits.lag.maxMs, () => this.checkLag());
  }
}
