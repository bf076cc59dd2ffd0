// A subscription: the stream of one listener, which its driver pulls (AAEP §5.6, §8.8). It knows when it may be pulled, how far it has come, and when
// its peer lags. Beside it stand what leaves next (Outflow), what waits (Pending), and the listener with questions and replies.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import { isQuestionKind } from "../event/event.js";
import type { SharedView, ViewMember } from "../hub/shared-view.js";
import type { ConnectionNews, SharedConnections } from "../questions/shared-connections.js";
import { canAnswerEvent } from "../terms/answering.js";
import type { Terms } from "../terms/terms.js";
import type { Checkpoint, Delivery } from "../views/delivery.js";
import { Listener, type Listening } from "./listener.js";
import { Outflow } from "./outflow.js";
import { PeerLag } from "./peer-lag.js";
import type { PendingOwner } from "./pending.js";
import type { Resumed, SubscriptionStart } from "./resume.js";
import type { SubscriptionServices } from "./subscription-services.js";
import type {
  ClosureReason,
  Drained,
  Outlet,
  RunningCounts,
  SubscribeSpec,
  SubscriptionStatus,
  Taken,
  TerminationReason,
} from "./subscription-spec.js";

export class Subscription implements ViewMember, PendingOwner, ConnectionNews, Listening {
  readonly id: string;
  readonly subscriberId: string;
  /** The daemon's answer to the subscription's cursor (R17); undefined for a new subscription. */
  readonly resumed: Resumed | undefined;
  /** The present terms; only `retune` changes them. */
  terms: Terms;
  readonly connection: object | undefined;
  readonly lineage: readonly number[];
  readonly replyNotTaken: (token: string) => void;
  readonly listener: Listener;
  private readonly counts: RunningCounts;
  private readonly services: SubscriptionServices;
  readonly outlet: Outlet;
  private readonly outflow: Outflow;
  private readonly leaveConnection: () => void;
  private readonly peerLag = new PeerLag();
  // The place that was reached, and the one that was told last.
  private latest: Checkpoint | undefined;
  private told: string | undefined;
  // An error freezes the place, since a later one would cover units that were not taken.
  private hasFailed = false;
  private closed = false;
  private behindSince: Millis | undefined;
  private timer: (() => void) | undefined;

  /** Throws "rate_limit" if the terms need a view and there are too many (R34). */
  constructor(id: string, spec: SubscribeSpec, start: SubscriptionStart, services: SubscriptionServices) {
    this.id = id;
    this.subscriberId = spec.subscriberId;
    this.connection = spec.connection;
    this.lineage = spec.lineage ?? [];
    this.replyNotTaken = spec.replyNotTaken ?? (() => {});
    this.outlet = spec.outlet;
    this.resumed = start.resumed;
    this.services = services;
    this.terms = withOwnSessions(spec.terms, this, services.connections);
    this.listener = new Listener(this, services);
    const shared = services.hub.join(this, this.terms);
    this.outflow = new Outflow(shared, this, services);
    this.counts = this.outflow.pending.counts;
    if (start.named !== undefined) this.latest = { ...start.named, memo: new Map() };
    try {
      this.outflow.begin(start);
    } catch (caught) {
      this.leave();
      throw caught;
    }
    this.leaveConnection = services.connections.join(this.connection, this.lineage, this);
  }

  isClosed(): boolean {
    return this.closed;
  }

  wake(): void {
    if (!this.closed) this.outlet.wake();
  }

  /** The units that may leave now; with `only`, just the critical ones. For a "wait", the subscription sets the timer itself. */
  take(only?: "critical"): Taken {
    const { services, outflow } = this;
    if (this.waitsForWords()) return { kind: "idle" };
    const now = services.now();
    let taken: Taken;
    try {
      taken = only === undefined ? outflow.take(now) : outflow.takeCritical(now);
    } catch (caught) {
      this.hasFailed = true;
      throw caught;
    }
    if (this.behindSince !== undefined && outflow.pending.backlog === undefined) {
      this.behindSince = undefined;
      services.pace("caught_up", this);
    }
    if (taken.kind === "batch") {
      this.noteDelivered(taken.batch.deliveries, now);
      if (!taken.isAll) return taken;
    }
    // Units that are not critical were not looked at.
    if (only === "critical") return taken;
    if (this.timer !== undefined) this.cancelTimer();
    const { shared } = outflow.pending;
    if (taken.kind === "wait") {
      shared.ready.delete(this);
      this.timer = services.wakeUps.at(taken.until, () => {
        this.timer = undefined;
        this.outlet.wake();
      });
    } else if (!outflow.isHeldByTerms || outflow.isReady(now)) shared.ready.add(this);
    else shared.ready.delete(this);
    return taken;
  }

  /** The next part of all pending units, coalesced, whatever the budget (R8a). Call it until it returns "done", and `take` no more. */
  drain(): Drained {
    if (this.closed || this.services.isLeaving()) return { kind: "done" };
    if (this.waitsForWords()) return { kind: "later" };
    const now = this.services.now();
    const drained = this.outflow.drain(now);
    if (drained.kind === "batch") this.noteDelivered(drained.batch.deliveries, now);
    return drained;
  }

  /** Reports that the peer takes nothing more, or takes again. */
  setBlocked(blocked: boolean): void {
    if (!blocked) {
      this.outflow.unblocked();
      this.peerLag.since = undefined;
      this.cancelTimer();
      return;
    }
    this.shared.ready.delete(this);
    if (this.peerLag.since === undefined) this.block();
  }

  /** Applies new terms to all units that leave from now on (AAEP §5.7.2). Throws "rate_limit"; the old terms then stand (R34). */
  retune(asked: Terms): void {
    if (!this.closed) this.apply(asked, false);
  }

  private apply(asked: Terms, mayExceed: boolean): void {
    const { services, terms: former, shared: before } = this;
    const terms = withOwnSessions(asked, this, services.connections);
    const shared = services.hub.join(this, terms, before, mayExceed);
    this.terms = terms;
    try {
      this.outflow.retuned(former, shared, services.now());
    } catch (caught) {
      // Part of what waited may be gone.
      this.end("producer_error");
      throw caught;
    } finally {
      if (shared !== before) services.hub.leave(this, this.shared === shared ? before : shared);
    }
    // A pause does not count as the peer's slowness (R26).
    if (this.peerLag.since !== undefined && former.paused) this.block();
    this.shared.ready.delete(this);
    this.wake();
    services.questions.audienceChanged();
  }

  /** Applies that a subscription never answers an agent of its own connection, whatever the limits (R5). */
  agentOpened(): void {
    this.apply(this.terms, true);
  }

  sessionLost(): void {
    this.outflow.askOpenQuestions();
    this.wake();
  }

  /** Applies new limits of lag. */
  limitsChanged(): void {
    const { since } = this.peerLag;
    if (this.closed || since === undefined) return;
    this.cancelTimer();
    this.checkLag();
    this.watchLag(since);
  }

  /** The place up to which everything was taken, for the client to store (R17). Undefined if there is none yet. */
  cursor(): string | undefined {
    this.told = this.place()?.cursor;
    return this.told;
  }

  /** The place with which a stream begins: as `cursor`, but while sums are owed that of the opening (R35). Call it at the opening. */
  openingCursor(): string {
    const { hub, journal } = this.services;
    return this.cursor() ?? hub.checkpointAt(journal.head()).cursor;
  }

  /** The place for a checkpoint. Undefined if none is due, or if the place has not moved since the last result of `cursor` or `checkpoint`. */
  checkpoint(isDue: boolean): Checkpoint | undefined {
    if (!isDue || !this.terms.checkpoints || this.closed) return undefined;
    const reached = this.place();
    if (reached === undefined || reached.cursor === this.told) return undefined;
    this.told = reached.cursor;
    return reached;
  }

  /** Skips one output, or, without arguments, everything that waits (R26). */
  skip(sessionId: string | undefined, outputId = ""): void {
    if (sessionId === undefined) this.outflow.skipAll();
    else {
      const isOpen = this.services.sessions.isOutputOpen(sessionId, outputId);
      this.outflow.pending.skip(`${sessionId}/${outputId}`, isOpen);
    }
    this.wake();
  }

  /** Sends an event of the journal's window, or an open question, however old, again and at once (R28). Throws "not_found". */
  repeat(eventId: string): void {
    const { questions, journal } = this.services;
    const open = questions.entryOf(eventId);
    const entry = open ?? journal.find(eventId);
    // A question that is over is not asked again (R6).
    const isOver =
      entry !== undefined && isQuestionKind(entry.kind) && (open === undefined || !canAnswerEvent(this.terms, open));
    if (entry === undefined || isOver) {
      const sentence =
        "Name an event that the journal still holds by the id that its agent gave it, or a question that is open.";
      throw new Fault("not_found", sentence, { pointer: "/event_id", rule: "R28" });
    }
    this.outflow.repeat(entry);
    this.wake();
  }

  /** Ends the subscription. Default reason: "subscriber". */
  close(reason: ClosureReason = "subscriber"): void {
    if (this.closed) return;
    const { services } = this;
    services.closed(this, reason);
    this.closed = true;
    this.cancelTimer();
    this.leave();
    this.leaveConnection();
    services.questions.audienceChanged();
  }

  end(reason: TerminationReason): void {
    if (reason === "producer_error") this.hasFailed = true;
    this.outlet.ended(reason, this);
  }

  placeIn(shared: SharedView, window: number): number | undefined {
    const { pending } = this.outflow;
    if (shared !== pending.shared) return undefined;
    // A subscription that reads the journal can fall too far behind there as well (R18).
    this.checkLag();
    if (this.closed || pending.backlog !== undefined) return undefined;
    if (pending.index >= window) return pending.index;
    // A subscription that only waits for its budget takes the units that the view would drop. They merge in its queue as they would have later.
    const { maxEventsPerSecond, paused } = this.terms;
    const isPaced = maxEventsPerSecond !== undefined && !paused && this.peerLag.since === undefined;
    if (isPaced && this.outflow.fillTo(window)) return pending.index;
    pending.fallBehind();
    if (this.behindSince === undefined) {
      this.behindSince = this.services.now();
      this.counts.fellBehind += 1;
      this.services.pace("fell_behind", this);
    }
    return undefined;
  }

  /** Whether the words that its terms ask for are still being loaded (R37). It is woken then. */
  private waitsForWords(): boolean {
    const loading = this.terms.speakable && this.services.hub.speaker.loading();
    void loading?.then(() => this.wake());
    return loading !== undefined;
  }

  status(): SubscriptionStatus {
    const { services, peerLag, outflow } = this;
    const { backlog } = outflow.pending;
    const { untakenCount } = outflow.pending;
    const isHeld = outflow.waitingCount > 0 || untakenCount > 0;
    return {
      waitingCount: outflow.waitingCount,
      readAheadCount: backlog?.released.length ?? 0,
      rememberedCount: outflow.rememberedCount,
      behind: backlog !== undefined,
      blockedSince: peerLag.since,
      reads: backlog !== undefined ? "journal" : isHeld ? "queue" : "live",
      untakenCount,
      counts: this.counts,
      behindSince: this.behindSince,
      lag: peerLag.now(this.terms.paused, services.now, services.journal.head()),
    };
  }

  private leave(): void {
    this.outflow.pending.backlog?.close();
    this.services.hub.leave(this, this.shared);
  }

  private get shared(): SharedView {
    return this.outflow.pending.shared;
  }

  /** While something is owed that is in no journal, the last place stays. A subscription's places never fall. */
  private place(): Checkpoint | undefined {
    const { outflow, services, latest } = this;
    if (this.hasFailed) return latest;
    const level = outflow.pending.hasTakenAll ? services.hub.levelCheckpoint(this.shared) : undefined;
    const given = level?.after ?? outflow.pending.given;
    if (given !== undefined && given > (latest?.after ?? -1)) this.latest = level ?? services.hub.checkpointAt(given);
    return this.latest;
  }

  private noteDelivered(deliveries: readonly Delivery[], now: Millis): void {
    const { hub } = this.services;
    this.counts.delivered += deliveries.length;
    hub.rates.delivered.note(deliveries.length, now);
    // One look at the clock and one at the batch: its first delivery is its oldest, except behind a critical one that goes ahead.
    const at = deliveries[0]?.at;
    if (at === undefined || at < this.outflow.pending.followsSince) return;
    const { limited, unlimited } = hub.latencies;
    (this.outflow.isHeldByTerms ? limited : unlimited).note(now - at, deliveries.length);
  }

  private cancelTimer(): void {
    this.timer?.();
    this.timer = undefined;
  }

  private checkLag(): void {
    const { services, closed, terms, peerLag } = this;
    if (closed || !peerLag.exceeds(services.limits.lag, terms.paused, services.now, services.journal.head())) return;
    this.outlet.ended("lagging", this);
  }

  private block(): void {
    const { services } = this;
    this.cancelTimer();
    this.watchLag(this.peerLag.begin(services.now, services.journal.head()));
  }

  private watchLag(since: Millis): void {
    this.timer = this.services.wakeUps.at(since + this.services.limits.lag.maxMs, () => this.checkLag());
  }
}

/** The terms of a subscription. The sessions of agents on its connection and above its process limit what it may answer (R5, R5d). */
function withOwnSessions(
  terms: Terms,
  { connection, lineage }: { readonly connection: object | undefined; readonly lineage: readonly number[] },
  connections: SharedConnections,
): Terms {
  const ownSessions = connections.ownSessions(connection, lineage);
  return ownSessions?.key === terms.ownSessions?.key ? terms : { ...terms, ownSessions };
}
