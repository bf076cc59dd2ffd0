// One subscription: what it may be given now. It pulls units from its view, or from the journal where it fell behind, and pays for them from
// its own budget. Pulling is the point: while nobody asks, nothing is copied, and what waits can still merge (AAEP §5.6, §8.8, R4, R9, R18).
import type { Millis } from "../contracts/clock.js";
import type { BacklogReader } from "./backlog-reader.js";
import { createDeliveryRun, type Delivery } from "./delivery.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import { type Epoch, isQuestionKind } from "./event.js";
import { hearsCritical } from "./ordered-return.js";
import type { RateBudget } from "./rate-budget.js";
import type { Place, Stream, StreamServices, StreamTerms, Taken } from "./stream.js";
import { StreamIntake } from "./stream-intake.js";
import { isSuperseded, unitsBetween } from "./superseded.js";
import type { EventUnit, Unit } from "./unit.js";
import { isCritical, isLocal } from "./unit.js";
import { wordCount } from "./word-count.js";

/** Most events in one run: what a slow peer must take before anything critical can pass. */
const RUN_LIMIT = 256;
/** Most events flushed ahead of a critical one (R4). */
const FLUSH_LIMIT = 4;
const IDLE: Taken = { kind: "idle" };
const NO_UNITS: readonly never[] = [];

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
class PulledStream extends StreamIntake implements Stream {
  private criticalSeen = this.standing.view.log.end();
  private blocked = false;
  // Units before this index arrived while the peer took nothing.
  private backlogEnd = 0;
  private spokenAt = Number.NEGATIVE_INFINITY;
  private urgent: readonly Unit[] = NO_UNITS;
  private asksUpTo: Epoch | undefined;
  private expedited: readonly EventUnit[] = NO_UNITS;

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

  takePendingCriticals(): readonly EventUnit[] {
    const pending = [...this.expedited];
    this.expedited = NO_UNITS;
    for (let next = this.criticalSeen; ; ) {
      const critical = this.standing.view.log.criticalFrom(next);
      if (critical === undefined) break;
      next = critical.index + 1;
      this.criticalSeen = next;
      if (critical.index >= this.standing.cursor || this.backlog !== undefined) pending.push(critical.unit);
    }
    return pending;
  }

  expedite(units: readonly EventUnit[]): void {
    if (units.length > 0) this.expedited = [...this.expedited, ...units];
  }

  wentAhead(epoch: Epoch): boolean {
    return this.apart?.hasGoneAhead(epoch) === true;
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

  private runOf(out: readonly Delivery[]): Taken | undefined {
    const [first] = out;
    if (first === undefined) return undefined;
    return { kind: "run", run: out.length === 1 ? this.standing.view.runOf(first) : createDeliveryRun(out) };
  }

  private noteQuestion(unit: Unit): void {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) this.services.asked(unit.entry);
  }

  private give(unit: Unit, out: Delivery[]): void {
    out.push(this.standing.view.deliveryOf(unit));
    this.noteQuestion(unit);
  }

  private send(unit: Unit, out: Delivery[], now: Millis): void {
    const { terms, services } = this;
    this.give(unit, out);
    if (terms.paceWpm !== undefined && unit.kind === "text" && unit.text.length > 0) {
      const spokenMs = (wordCount(unit.text) * 60_000) / terms.paceWpm;
      this.spokenAt = now + Math.min(spokenMs, services.maxHoldMs);
    }
    // What the daemon says for itself stands nowhere in the journal: everything may still be to come.
    services.delivered(unit, isLocal(unit) ? this.lowestOwed() : Math.min(this.queue.lowest() ?? unit.low, unit.low));
  }

  private sendAlone(unit: EventUnit, overtook: number, out: Delivery[]): void {
    const { view } = this.standing;
    const { services } = this;
    if (overtook > 0) services.counts.overtook += 1;
    out.push(overtook === 0 ? view.deliveryOf(unit) : view.marked(unit, overtook, services.markOvertook));
    this.noteQuestion(unit);
    this.remember().wentAhead(unit);
    this.remember().supersede(unit);
    // What it overtook is still owed to a subscription that resumes after it (R17).
    services.delivered(unit, Math.min(this.lowestOwed(), unit.low));
  }

  /** Critical events first: past the queue, the budget and the pause (R4). */
  private takeCritical(out: Delivery[], now: Millis): void {
    for (const unit of this.expedited) this.sendExpedited(unit, out);
    this.expedited = NO_UNITS;
    for (;;) {
      const critical = this.standing.view.log.criticalFrom(this.criticalSeen);
      if (critical === undefined) return;
      this.criticalSeen = critical.index + 1;
      if (critical.index < this.standing.cursor && this.backlog === undefined) continue;
      this.takeOneCritical(critical.index, critical.unit, out, now);
    }
  }

  private sendExpedited(unit: EventUnit, out: Delivery[]): void {
    this.queue.remove((waiting) => isSuperseded(waiting, unit));
    this.sendAlone(unit, (this.backlog?.behind(unit.entry) ?? 0) + this.queue.ofSession(unit.session).length, out);
  }

  private takeOneCritical(index: number, unit: EventUnit, out: Delivery[], now: Millis): void {
    if (this.backlog !== undefined) {
      this.sendExpedited(unit, out);
      return;
    }
    const { queue, standing, terms } = this;
    let reached = true;
    const merging = terms.limited || terms.paused;
    while (standing.cursor < index && reached) reached = this.absorbOne(merging) === "taken";
    const held = queue.ofSession(unit.session).length + unitsBetween(standing, index, unit.session);
    if (!terms.paused && reached && held <= FLUSH_LIMIT) {
      // One by one: what is still to be flushed is owed to whoever resumes after what was flushed before it (R17).
      for (const ahead of queue.ofSession(unit.session)) {
        queue.remove((waiting) => waiting === ahead);
        this.send(ahead, out, now);
        this.budget.spend(now);
      }
      this.advanceTo(index + 1);
      this.give(unit, out);
      this.services.delivered(unit, Math.min(queue.lowest() ?? unit.low, unit.low));
      return;
    }
    // What it overtook of its own agent's progress and states is old news by the time it could be told (R4).
    queue.remove((waiting) => isSuperseded(waiting, unit));
    this.advanceTo(standing.cursor === index ? index + 1 : standing.cursor);
    const still =
      queue.ofSession(unit.session).length +
      unitsBetween(standing, index, unit.session, (waiting) => isSuperseded(waiting, unit));
    this.sendAlone(unit, still, out);
    if (standing.cursor > index) this.apart?.settle(unit);
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
    if (this.backlog !== undefined || cursor < view.log.end()) return;
    this.apart?.forgetPassed((output) => view.texts.heldOffset(output) !== undefined);
    if (this.apart?.count() === 0) this.apart = undefined;
  }
}
