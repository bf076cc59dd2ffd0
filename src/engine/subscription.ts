// One subscription: what it may be given now. It pulls units from its view, or from the journal where it fell behind, and pays for them from
// its own budget. Pulling is the point: while nobody asks, nothing is copied, and what waits can still merge (AAEP §5.6, §8.8, R4, R9, R18).
import type { Millis } from "../contracts/clock.js";
import type { BacklogReader } from "./backlog-reader.js";
import type { Delivery } from "./delivery.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import type { Epoch } from "./event.js";
import { hearsCritical } from "./ordered-return.js";
import type { RateBudget } from "./rate-budget.js";
import type { Place, Stream, StreamServices, StreamTerms, Taken } from "./stream.js";
import { NO_UNITS, StreamOutlet } from "./stream-outlet.js";
import type { Unit } from "./unit.js";
import { isCritical, isLocal } from "./unit.js";

/**
 * Most events in one run: what a slow peer must take before anything critical can pass, and what is shaped and encoded before others have their
 * turn (R34).
 */
const RUN_LIMIT = 32;
const IDLE: Taken = { kind: "idle" };

export function createStream(
  start: Place,
  startReader: BacklogReader | undefined,
  queue: DeliveryQueue,
  budget: RateBudget,
  startTerms: StreamTerms,
  services: StreamServices,
): Stream {
  return new PulledStream(start, startReader, queue, budget, startTerms, services);
}

/** A class, because there is one for each subscription. */
class PulledStream extends StreamOutlet implements Stream {
  private blocked = false;
  // Units before this index arrived while the peer took nothing.
  private backlogEnd = 0;
  private urgent: readonly Unit[] = NO_UNITS;
  private asksUpTo: Epoch | undefined;

  take(now: Millis): Taken {
    if (this.isOrdered()) {
      const run = this.takeOrdered(now);
      if (run !== undefined || this.isOrdered()) return run ?? this.nextWait(now);
    }
    const out = this.takeUrgent();
    const { standing } = this;
    if (out.length === 0 && this.isShortCut()) {
      const { log } = standing.view;
      if (standing.cursor >= log.end()) return IDLE;
      const { run, next, lows } = log.run(standing.cursor, RUN_LIMIT);
      if (log.lastCritical() >= standing.cursor)
        for (const unit of log.from(standing.cursor, next)) this.noteQuestion(unit);
      standing.cursor = next;
      this.criticalSeen = next;
      this.budget.spend(now);
      this.services.ran(lows);
      return { kind: "run", run };
    }
    if (this.holdsBack()) this.takeCritical(out, now);
    else this.criticalSeen = standing.view.log.end();
    if (!this.terms.paused) this.takeLimited(out, now);
    this.forgetPassed();
    return this.runOf(out) ?? this.nextWait(now);
  }

  takeCriticalOnly(now: Millis): Taken {
    if (this.isOrdered()) return IDLE;
    const out = this.takeUrgent();
    this.takeCritical(out, now);
    return this.runOf(out) ?? IDLE;
  }

  isReady(now: Millis): boolean {
    return !this.blocked && !this.terms.paused && this.budget.availableAt() <= now;
  }

  setTerms(next: StreamTerms, now: Millis): void {
    if (this.terms.paused && !next.paused) this.pressureUntil = now;
    this.terms = next;
  }

  moveTo(next: Place, nextReader: BacklogReader | undefined): void {
    if (next.view !== this.standing.view) {
      this.criticalSeen = next.view.log.end();
      this.backlogEnd = 0;
    }
    this.standing = next;
    this.backlog = nextReader;
    this.forgetOwed();
  }

  urge(units: readonly Unit[]): void {
    if (units.length > 0) this.urgent = [...this.urgent, ...units];
  }

  askOpen(upTo: Epoch): void {
    this.asksUpTo = upTo;
  }

  absorb(upTo: number): boolean {
    const end = Math.min(upTo, this.standing.view.log.criticalFrom(this.criticalSeen)?.index ?? upTo);
    while (this.standing.cursor < end)
      if (this.absorbStretch() === undefined && this.absorbOne(this.terms.limited) === "full") return false;
    return this.standing.cursor >= upTo;
  }

  trim(output: string, position: number): void {
    this.remember().setFloor(output, Math.max(position, this.apart?.floors.get(output) ?? 0));
  }

  setFloors(positions: ReadonlyMap<string, number>): void {
    for (const [output, position] of positions) this.remember().setFloor(output, position);
  }

  skipOutput(output: string): void {
    let isOver = false;
    this.queue.replace((unit) => {
      if (unit.kind !== "text" || unit.output !== output) return unit;
      isOver ||= unit.complete;
      return unit.complete ? this.services.completeSkipped(unit) : undefined;
    });
    if (isOver) return;
    this.remember().skip(output);
  }

  waitingUnits(): readonly Unit[] {
    const units = [...this.queue.all()];
    const released = this.backlog?.released() ?? this.standing.view.log.from(this.standing.cursor);
    for (const unit of released) {
      const admitted = this.apart === undefined ? unit : this.apart.admit(unit);
      if (admitted !== undefined) units.push(admitted);
    }
    return units;
  }

  giveBack(): readonly Unit[] {
    return this.queue.remove((unit) => !isLocal(unit));
  }

  forget(): void {
    this.queue.remove(() => true);
  }

  say(unit: Unit): void {
    this.queue.put(unit);
  }

  markBlocked(next: boolean): void {
    if (this.blocked && !next) this.backlogEnd = this.standing.view.log.end();
    this.blocked = next;
  }

  drain(now: Millis, mayReadOn: () => boolean): readonly Delivery[] {
    // An orderly end writes all places.
    this.ordered = undefined;
    const out = this.takeUrgent();
    for (const unit of this.expedited) this.give(unit, out);
    this.expedited = NO_UNITS;
    const isBehind = this.blocked && this.backlog !== undefined;
    if (!isBehind) this.backlog?.hurry();
    const { limited } = this.terms;
    this.terms = { limited, paused: false, paceWpm: undefined };
    for (let more = true; more; ) {
      more = !isBehind && mayReadOn() && this.absorbOne(limited) === "taken";
      if (more) continue;
      for (let unit = this.queue.shift(); unit !== undefined; unit = this.queue.shift()) {
        this.send(unit, out, now);
        more = true;
      }
    }
    return out;
  }

  remembered(): number {
    return (this.apart?.count() ?? 0) + this.urgent.length + this.expedited.length;
  }

  private takeOrdered(now: Millis): Taken | undefined {
    const out: Delivery[] = [];
    const { queue, budget } = this;
    // Whoever names a question before all that it is owed is read to from there, whatever place the disk has: that can go alone.
    const passed = this.ordered?.isRefused === true ? this.services.openQuestions(this.lowestOwed() - 1) : NO_UNITS;
    for (const unit of passed) {
      this.give(unit, out);
      this.services.delivered(unit, this.lowestOwed());
    }
    while (!this.isHeldByPause() && out.length < RUN_LIMIT && budget.availableAt() <= now) {
      // Nothing is joined: it would stand where its last part stood.
      if (queue.size() === 0 && this.absorbOne(false) === "empty") break;
      const head = queue.head();
      if (head?.kind === "text" && head.text.length > 0 && now < this.spokenAt) break;
      queue.shift();
      if (head === undefined) continue;
      this.send(head, out, now);
      budget.spend(now);
    }
    return this.runOf(out);
  }

  /** A pause holds back all but what is critical (R26); `hearsCritical` says what goes with that while the order is to be kept. */
  private isHeldByPause(): boolean {
    const isCriticalOwed = (): boolean =>
      this.services.openQuestions(Number.POSITIVE_INFINITY).length > 0 ||
      this.expedited.length > 0 ||
      this.standing.view.log.criticalFrom(this.criticalSeen) !== undefined;
    return this.terms.paused && !hearsCritical(this.ordered, isCriticalOwed);
  }

  private takeLimited(out: Delivery[], now: Millis): void {
    const { queue, budget } = this;
    while (out.length < RUN_LIMIT && budget.availableAt() <= now) {
      const all = this.absorbHeld();
      if (all && this.isReadingOn()) return;
      if (queue.size() === 0 && this.absorbOne(false) === "empty") return;
      const head = queue.head();
      if (head === undefined) continue;
      if (head.kind === "text" && head.text.length > 0 && now < this.spokenAt) return;
      queue.shift();
      this.send(head, out, now);
      budget.spend(now);
      if (!all) this.absorbHeld();
    }
  }

  /** Nothing but its place decides what it gets. */
  private isPlain(): boolean {
    const { terms } = this;
    return (
      !terms.limited &&
      !terms.paused &&
      terms.paceWpm === undefined &&
      this.backlog === undefined &&
      this.queue.size() === 0 &&
      this.expedited.length === 0
    );
  }

  /** Whether anything may be waiting that a critical event has to pass. What came in this turn to an idle subscription was never held. */
  private holdsBack(): boolean {
    return !this.isPlain() || this.standing.cursor < this.backlogEnd;
  }

  /** What arrived while the peer took nothing is only held back from something critical; without any it leaves as the others get it. */
  private isBacklogPlain(): boolean {
    const { standing } = this;
    return standing.cursor >= this.backlogEnd || standing.view.log.criticalFrom(this.criticalSeen) === undefined;
  }

  private isShortCut(): boolean {
    return this.isPlain() && this.isBacklogPlain() && this.apart === undefined;
  }

  private nextWait(now: Millis): Taken {
    if (this.isHeldByPause()) return IDLE;
    const head = this.queue.head();
    const spoken = head?.kind === "text" ? this.spokenAt : Number.NEGATIVE_INFINITY;
    // A text that is not there yet cannot be waited for; anything else may leave at once.
    const until = Math.max(this.budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : IDLE;
  }

  private takeUrgent(): Delivery[] {
    this.forgetOwed();
    let first = this.urgent;
    if (this.asksUpTo !== undefined) {
      const open = this.services.openQuestions(this.asksUpTo);
      // Except what goes ahead by itself in the same take.
      first = [...open.filter(({ epoch }) => !this.expedited.some((unit) => unit.epoch === epoch)), ...first];
    }
    this.asksUpTo = undefined;
    this.urgent = NO_UNITS;
    const out: Delivery[] = [];
    for (const unit of first) {
      this.give(unit, out);
      // A question that is asked at once is not asked again when its place in the backlog comes (R28).
      if (isCritical(unit)) {
        this.remember().wentAhead(unit);
        this.queue.remove((waiting) => isCritical(waiting) && waiting.epoch === unit.epoch && !isLocal(waiting));
      }
      this.services.delivered(unit, this.lowestOwed());
    }
    return out;
  }

  /** Where it stands at the end of its view and holds nothing, nothing that went ahead can come again. */
  private forgetPassed(): void {
    const { view, cursor } = this.standing;
    if (this.apart === undefined || this.backlog !== undefined || cursor < view.log.end()) return;
    if (this.services.isBehind(view)) return;
    this.apart.forgetPassed((output) => view.texts.heldOffset(output) !== undefined);
    if (this.apart.count() === 0) this.apart = undefined;
  }
}
