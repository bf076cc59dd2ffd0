// What leaves one subscription, and how what is critical leaves first (R4, R9). When the rest may leave is in subscription.ts.
import type { Millis } from "../contracts/clock.js";
import { createDeliveryRun, type Delivery } from "./delivery.js";
import { type Epoch, isQuestionKind } from "./event.js";
import { AHEAD_LIMIT } from "./given-apart.js";
import type { Taken } from "./stream.js";
import { StreamIntake } from "./stream-intake.js";
import { isSuperseded, unitsBetween } from "./superseded.js";
import type { EventUnit, Unit } from "./unit.js";
import { isCritical, isLocal } from "./unit.js";
import { wordCount } from "./word-count.js";

/** Most events flushed ahead of a critical one (R4). */
const FLUSH_LIMIT = 4;
export const NO_UNITS: readonly never[] = [];

/** The middle of a stream. A class, because there is one for each subscription. */
export abstract class StreamOutlet extends StreamIntake {
  protected criticalSeen = this.standing.view.log.end();
  protected spokenAt = Number.NEGATIVE_INFINITY;
  protected expedited: readonly EventUnit[] = NO_UNITS;
  protected isAheadFull = false;

  takePendingCriticals(): readonly EventUnit[] {
    const pending = [...this.expedited];
    this.expedited = NO_UNITS;
    for (let next = this.criticalSeen; ; ) {
      const critical = this.standing.view.log.criticalFrom(next);
      if (critical === undefined) break;
      next = critical.index + 1;
      this.criticalSeen = next;
      if (!this.isOwed(critical.unit)) continue;
      if (critical.index >= this.standing.cursor || this.backlog !== undefined) pending.push(critical.unit);
    }
    return pending;
  }

  expedite(units: readonly EventUnit[]): void {
    for (const unit of units) {
      if (!this.mayGoAhead()) return;
      this.remember().wentAhead(unit);
      this.expedited = [...this.expedited, unit];
    }
  }

  /** From where no more can be remembered, critical events come in their place and in order, until all that went ahead has been passed (R18). */
  private mayGoAhead(): boolean {
    this.isAheadFull ||= (this.apart?.aheadCount() ?? 0) >= AHEAD_LIMIT;
    return !this.isAheadFull;
  }

  wentAhead(epoch: Epoch): boolean {
    return this.apart?.hasGoneAhead(epoch) === true;
  }

  /** Whether a critical event of its view has not left: before that view took it, or from the view that it shared before (R34). */
  private isOwed(unit: EventUnit): boolean {
    return !this.wentAhead(unit.epoch) && this.backlog?.owes(unit.entry) !== false;
  }

  protected runOf(out: readonly Delivery[]): Taken | undefined {
    const [first] = out;
    if (first === undefined) return undefined;
    return { kind: "run", run: out.length === 1 ? first.alone() : createDeliveryRun(out) };
  }

  protected noteQuestion(unit: Unit): void {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) this.services.asked(unit.entry);
  }

  protected give(unit: Unit, out: Delivery[]): void {
    out.push(this.standing.view.deliveryOf(unit));
    this.noteQuestion(unit);
  }

  protected send(unit: Unit, out: Delivery[], now: Millis): void {
    const { terms, services } = this;
    this.give(unit, out);
    if (terms.paceWpm !== undefined && unit.kind === "text" && unit.text.length > 0) {
      const spokenMs = (wordCount(unit.text) * 60_000) / terms.paceWpm;
      this.spokenAt = now + Math.min(spokenMs, services.maxHoldMs);
    }
    // What the daemon says for itself stands nowhere in the journal: everything may still be to come.
    services.delivered(unit, isLocal(unit) ? this.lowestOwed() : Math.min(this.lowest() ?? unit.low, unit.low));
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

  /** Critical events first: past the queue, the budget and the pause, in the order of the journal (R4). */
  protected takeCritical(out: Delivery[], now: Millis): void {
    for (;;) {
      const critical = this.standing.view.log.criticalFrom(this.criticalSeen);
      const [next] = this.expedited;
      if (next !== undefined && (critical === undefined || next.epoch < critical.unit.epoch)) {
        this.expedited = this.expedited.slice(1);
        this.sendExpedited(next, out);
        continue;
      }
      if (critical === undefined) return;
      this.criticalSeen = critical.index + 1;
      if (!this.isOwed(critical.unit) || (this.backlog !== undefined && !this.mayGoAhead())) continue;
      if (critical.index < this.standing.cursor && this.backlog === undefined) continue;
      this.takeOneCritical(critical.index, critical.unit, out, now);
    }
  }

  private sendExpedited(unit: EventUnit, out: Delivery[]): void {
    this.sayOf(unit.session);
    this.queue.remove((waiting) => isSuperseded(waiting, unit));
    const still = this.backlog?.behind(unit.entry) ?? this.stillInView(unit);
    this.sendAlone(unit, still + this.queue.ofSession(unit.session).length, out);
  }

  /** What a critical event overtakes that its view has not taken: of that, and of what the view has and this subscription did not take. */
  private stillInView(unit: EventUnit): number {
    const { view } = this.standing;
    const isOld = (waiting: Unit): boolean =>
      isSuperseded(waiting, unit) || (isCritical(waiting) && this.wentAhead(waiting.epoch));
    return (
      unitsBetween(this.standing, view.log.end(), unit.session, isOld) +
      view.texts.countOf(unit.session) +
      this.services.overtaken(view, unit.entry)
    );
  }

  private takeOneCritical(index: number, unit: EventUnit, out: Delivery[], now: Millis): void {
    if (this.backlog !== undefined) {
      this.sendExpedited(unit, out);
      return;
    }
    const { queue, standing, terms } = this;
    this.sayOf(unit.session);
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
      this.services.delivered(unit, Math.min(this.lowest() ?? unit.low, unit.low));
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
}
