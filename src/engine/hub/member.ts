// One subscription's membership in the hub: its stream, its queue and budget, the view it shares, and when it is to be woken.
import type { Millis } from "../../contracts/clock.js";
import { type BacklogReader, createBacklogReader } from "../catch-up/backlog-reader.js";
import type { GapEvent } from "../catch-up/gap-events.js";
import type { ReadingPoint } from "../catch-up/reading-point.js";
import { givenFurther } from "../event/cursor.js";
import { type Epoch, type JournaledEvent, topicKind } from "../event/event.js";
import { createDeliveryQueue } from "../subscriptions/delivery-queue.js";
import { createRateBudget, type RateBudget } from "../subscriptions/rate-budget.js";
import type { Drained, Stream, Taken } from "../subscriptions/stream.js";
import { createStream } from "../subscriptions/subscription.js";
import type { Terms } from "../terms/terms.js";
import { createCheckpoint } from "../views/checkpoint.js";
import type { Checkpoint } from "../views/delivery.js";
import { gapOf, unitOf } from "../views/event-units.js";
import type { EventUnit, Unit } from "../views/unit.js";
import type { Place, View } from "../views/view.js";
import { beginEpisode, endEpisode } from "./member-account.js";
import { PeerLag } from "./member-lag.js";
import type { Expulsion, Member, MemberServices, MemberSpec, MemberStatus, StreamStart } from "./member-spec.js";
import { mayJoin, newcomersPoint, pointAfter, settleHeldText, streamTermsOf } from "./member-start.js";
import { StreamOwner } from "./member-stream.js";
import type { SharedView } from "./shared-view.js";

export function createMember(spec: MemberSpec, services: MemberServices): Member {
  return new HubMember(spec, services);
}

/** A class, because there is one for each subscription. It is its stream's owner and its queue's as well. */
class HubMember extends StreamOwner implements Member {
  private readonly tellReady: () => void;
  private readonly tellEnded: MemberSpec["ended"];
  private readonly budget: RateBudget;
  private readonly stream: Stream;
  protected shared: SharedView;
  private closed = false;
  private readonly peerLag = new PeerLag();
  private timer: (() => void) | undefined;
  private latest: Checkpoint | undefined;

  constructor(spec: MemberSpec, services: MemberServices) {
    const { terms } = spec;
    super(spec, services);
    this.tellReady = spec.wake;
    this.tellEnded = spec.ended;
    this.shared = services.join(this, terms);
    this.budget = createRateBudget(terms.maxEventsPerSecond, services.limits.burst, services.now());
    this.stream = createStream(
      this.placeAtEnd(),
      undefined,
      createDeliveryQueue(this),
      this.budget,
      streamTermsOf(terms),
      this,
    );
    this.greet(spec.start);
  }

  terms(): Terms {
    return this.granted;
  }

  wake(): void {
    if (!this.closed) this.tellReady();
  }

  expedite(unit: EventUnit): void {
    this.stream.expedite([unit]);
    this.wake();
  }

  take(only?: "critical"): Taken {
    const { services, stream, shared } = this;
    const now = services.now();
    const taken = only === "critical" ? stream.takeCriticalOnly(now) : stream.take(now);
    if (taken.kind === "run") {
      this.account.counts.delivered += taken.run.deliveries.length;
      services.noteDelivered(taken.run.deliveries.length, now);
      return taken;
    }
    // What else may leave has not been looked at.
    if (only === "critical") return taken;
    this.cancelTimer();
    shared.ready.delete(this);
    if (taken.kind === "wait") {
      this.timer = services.wakeUps.at(taken.until, () => {
        this.timer = undefined;
        this.tellReady();
      });
    } else if (stream.isReady(now)) shared.ready.add(this);
    return taken;
  }

  setBlocked(blocked: boolean): void {
    this.stream.markBlocked(blocked);
    if (!blocked) {
      this.peerLag.since = undefined;
      this.cancelTimer();
      return;
    }
    this.shared.ready.delete(this);
    if (this.peerLag.since === undefined) this.block();
  }

  retune(next: Terms): void {
    const now = this.services.now();
    const before = this.shared;
    const old = this.granted;
    this.budget.retune(next.maxEventsPerSecond, now);
    this.stream.setTerms(streamTermsOf(next), now);
    this.granted = next;
    const after = this.services.join(this, next);
    if (after !== before) this.moveTo(after);
    // A pause does not count as the peer's slowness (R26).
    if (this.peerLag.since !== undefined && old.paused) this.block();
    this.shared.ready.delete(this);
    this.tellReady();
  }

  limitsChanged(): void {
    const { since } = this.peerLag;
    if (this.closed || since === undefined) return;
    this.cancelTimer();
    this.checkLag();
    this.watchLag(since);
  }

  skipOutput(output: string): void {
    this.stream.skipOutput(output);
    this.tellReady();
  }

  skipAll(terminals: () => readonly JournaledEvent[]): Epoch {
    const { services, stream, shared } = this;
    const { wants } = shared.view.terms;
    const reader = stream.reader();
    // Ends are told, and a loss is told whatever is skipped (R26, R27).
    const kept = stream
      .waitingUnits()
      .flatMap((unit) => (unit.kind === "event" && (unit.terminal || gapOf(unit) !== undefined) ? [unit] : []));
    if (reader !== undefined) {
      for (const entry of terminals()) {
        const live = services.liveEntry(entry);
        if (reader.owes(entry) && wants(live) && !stream.wentAhead(entry.epoch))
          kept.push(unitOf(live, shared.view, "plain"));
      }
    }
    const open = new Set(services.openQuestions(this.granted).map(({ epoch }) => epoch));
    const urgent = stream.takePendingCriticals().filter((unit) => unit.terminal || open.has(unit.epoch));
    const gone = new Set(urgent.map(({ epoch }) => epoch));
    reader?.close();
    stream.forget();
    this.briefing()?.drop(["sums"]);
    stream.moveTo(this.placeAtEnd(), undefined);
    for (const held of shared.view.texts.held())
      stream.trim(held.output, { position: held.endPosition, epoch: shared.view.epoch() + 1 });
    const skipped = services.journal.head();
    if (this.isBehind(shared.view)) this.readOnFrom(pointAfter(skipped));
    endEpisode(this.account, this, services.pace);
    stream.expedite(urgent);
    stream.askOpen(services.journal.head());
    stream.urge(kept.filter(({ epoch }) => !gone.has(epoch)));
    this.sumUp();
    this.tellReady();
    return skipped;
  }

  askOpen(): void {
    this.stream.askOpen(this.services.journal.head());
    this.tellReady();
  }

  repeat(entry: JournaledEvent): void {
    this.stream.urge([unitOf(this.services.liveEntry(entry), this.shared.view, "plain")]);
    this.tellReady();
  }

  cursor(): Checkpoint | undefined {
    const next = this.reached();
    // A subscription's cursors never fall.
    if (next !== undefined && next.after >= (this.latest?.after ?? 0)) this.latest = next;
    return this.latest;
  }

  drain(): Drained {
    if (this.closed) return { kind: "done" };
    const now = this.services.now();
    const drained = this.stream.drain(now);
    if (drained.kind === "run") {
      const { deliveries } = drained.run;
      this.account.counts.delivered += deliveries.length;
      this.services.noteDelivered(deliveries.length, now);
    }
    return drained;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelTimer();
    this.stream.reader()?.close();
    this.briefing()?.drop(["notices", "losses", "sums"]);
    this.services.leave(this, this.shared);
  }

  isClosed(): boolean {
    return this.closed;
  }

  end(reason: Expulsion): void {
    this.tellEnded(reason);
  }

  cursorIn(view: SharedView, window: number): number | undefined {
    if (view !== this.shared) return undefined;
    // One that has fallen back to the journal can fall behind too far there as well (R18).
    this.checkLag();
    const { stream, granted } = this;
    if (this.closed || stream.reader() !== undefined) return undefined;
    const place = stream.place();
    if (place.cursor >= window) return place.cursor;
    // A subscription that only waits for its budget takes what is about to go; it merges there as it would have merged here.
    if (
      granted.maxEventsPerSecond !== undefined &&
      !granted.paused &&
      this.peerLag.since === undefined &&
      stream.absorb(window)
    ) {
      return stream.place().cursor;
    }
    this.readOnFrom(stream.point([]));
    beginEpisode(this.account, this, this.services.pace, this.services.now());
    return undefined;
  }

  status(): MemberStatus {
    const { stream } = this;
    const reader = stream.reader();
    const { view, cursor } = stream.place();
    const untaken =
      reader === undefined
        ? view.log.end() - cursor + this.services.steps.count(view.epoch(), this.services.journal.head())
        : this.services.steps.count(stream.point([]).after, this.services.journal.head());
    const isHeld = stream.waiting() > 0 || untaken > 0;
    return {
      waitingCount: stream.waiting(),
      readAheadCount: reader?.released().length ?? 0,
      rememberedCount: stream.remembered(),
      behind: reader !== undefined,
      blockedSince: this.peerLag.since,
      reads: reader !== undefined ? "journal" : isHeld ? "queue" : "live",
      untakenCount: untaken,
      ...this.account,
      lag: this.peerLag.now(this.granted.paused, this.services.now, this.services.journal.head()),
    };
  }

  private reached(): Checkpoint | undefined {
    const { stream, services, latest } = this;
    if (stream.isLevel()) return services.levelCheckpoint(this.shared);
    const reached = stream.reached();
    if (reached === undefined) return undefined;
    const { after, owed, skipped, unmet } = reached;
    const next = services.checkpointOf({ after, outputs: givenFurther(owed, skipped, unmet, this.outputDigest) });
    return next.cursor === latest?.cursor ? latest : next;
  }

  private placeAtEnd(): Place {
    const { view } = this.shared;
    return { view, cursor: view.log.end() };
  }

  private readerFrom(point: ReadingPoint): BacklogReader {
    const { services } = this;
    return createBacklogReader(point, {
      journal: services.journal,
      openView: (wakeUps, startsAfter, sent) => services.openPrivateView(this.granted, wakeUps, startsAfter, sent),
      createWakeUps: services.createWakeUps,
      turns: services.readingTurns,
      liveEntry: services.liveEntry,
      lookBack: services.lookBack,
      asBacklog: (entry) => this.asBacklog(entry),
      gaps: (after, given) => services.gaps(this.granted, after, given),
      gapUnit: (gap, oldest) => this.gapUnit(gap, oldest),
      caughtUp: (own) => this.rejoin(own),
      upTo: () => this.shared.view.epoch(),
      wake: this.tellReady,
    });
  }

  private gapUnit({ event, epoch }: GapEvent, oldest: Epoch): Unit | undefined {
    const { view } = this.shared;
    if (epoch !== undefined && this.stream.wentAhead(epoch)) return undefined;
    const live = this.localEntry(event, topicKind(event.type), oldest - 1);
    return view.terms.wants(live) ? unitOf(live, view, "plain") : undefined;
  }

  /** Goes on in the shared view, at the same epoch. */
  private rejoin(own: View): void {
    const { view } = this.shared;
    if (!mayJoin(own, view)) return;
    settleHeldText(own, view, this.stream, this.services.now());
    // What was just released waits in the private log; the reader is asked for it before the shared view is.
    if (own.log.end() > own.log.start()) return;
    for (const [session, timestamp] of own.timestamps()) view.noteTimestamp(session, timestamp);
    this.stream.moveTo(this.placeAtEnd(), undefined);
    own.close();
    endEpisode(this.account, this, this.services.pace);
  }

  private readOnFrom(point: ReadingPoint): void {
    const { stream } = this;
    stream.reader()?.close();
    stream.setFloors(point);
    stream.moveTo(this.placeAtEnd(), this.readerFrom(point));
  }

  private greet(start: StreamStart): void {
    const { stream, services } = this;
    const { head } = services.journal;
    const { named } = start;
    if (named !== undefined) this.latest = createCheckpoint(named.cursor, named.after);
    stream.setGiven(start.outputs);
    if (start.kind === "resume") this.readOnFrom(start.point);
    else if (this.isBehind(this.shared.view)) this.readOnFrom(newcomersPoint(this.shared.view, head()));
    stream.askOpen(head());
    this.tellBefore(start);
  }

  private cancelTimer(): void {
    this.timer?.();
    this.timer = undefined;
  }

  private checkLag(): void {
    const { services, closed, granted } = this;
    if (closed || !this.peerLag.exceeds(services.limits.lag, granted.paused, services.now, services.journal.head()))
      return;
    this.tellEnded("lagging");
  }

  private block(): void {
    const { services } = this;
    this.cancelTimer();
    this.watchLag(this.peerLag.begin(services.now, services.journal.head()));
  }

  private watchLag(since: Millis): void {
    const { wakeUps, limits } = this.services;
    this.timer = wakeUps.at(since + limits.lag.maxMs, () => this.checkLag());
  }

  /** Goes on in another view with all that has not left, so that nothing leaves by the old terms (AAEP §5.7.2). */
  private moveTo(next: SharedView): void {
    const { stream, services } = this;
    const point = stream.point(stream.giveBack());
    const pending = stream.takePendingCriticals().map(({ entry }) => entry);
    const before = this.shared;
    this.shared = next;
    this.readOnFrom(point);
    // What the next view releases by a timer stands with what this subscription was sent, or later (R30).
    for (const [session, timestamp] of before.view.timestamps()) next.view.noteTimestamp(session, timestamp);
    services.leave(this, before);
    // What it was asked it does not hear of again where it can no longer answer (R6).
    for (const notice of this.noticesAfter(next.view.epoch())) stream.passOver(notice);
    const ahead = new Map(
      [...pending, ...this.noticesOwed(stream)].map((entry) => [entry.epoch, services.liveEntry(entry)]),
    );
    const wanted = [...ahead.values()].filter(next.view.terms.wants);
    stream.expedite(
      wanted.sort((a, b) => a.entry.epoch - b.entry.epoch).map((live) => unitOf(live, next.view, "critical")),
    );
    stream.askOpen(services.journal.head());
  }
}
