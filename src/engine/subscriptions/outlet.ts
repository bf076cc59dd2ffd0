// The units that leave a subscription, the critical ones first (R4, R9). pull.ts decides when the others leave.
import type { Millis } from "../../contracts/clock.js";
import { type Overtaken, overtakenCount } from "../catch-up/overtaken.js";
import { isSuperseded, isSupersededBy, overtakenUnits } from "../catch-up/superseded.js";
import { type AgentEvent, type Epoch, isQuestionKind } from "../event/event.js";
import { wordCount } from "../text/word-count.js";
import { createDeliveryBatch, type Delivery } from "../views/delivery.js";
import { gapOf, unitOf } from "../views/event-units.js";
import type { EventUnit, Unit } from "../views/unit.js";
import { roleOf } from "../views/view.js";
import { Intake } from "./intake.js";
import type { HandedOver } from "./joining.js";
import { AHEAD_LIMIT } from "./out-of-order.js";
import type { Taken } from "./taken.js";

/** Most events that are flushed before a critical event (R4). */
const FLUSH_LIMIT = 4;
export const NO_UNITS: readonly never[] = [];

/** The third part of a subscription. A class, because there is one for each subscription. */
export abstract class Outlet extends Intake {
  protected criticalSeen = this.viewCursor.view.log.end();
  protected overtaking: readonly EventUnit[] = NO_UNITS;
  protected isAheadFull = false;

  protected override handedOver(): HandedOver | undefined {
    // A place may lie behind a critical event that waits to go ahead.
    return this.overtaking.length > 0 ? undefined : super.handedOver();
  }

  /** Removes and returns the critical events that were to go ahead and have not left. */
  protected takePendingCriticals(): readonly EventUnit[] {
    const pending = [...this.overtaking];
    this.overtaking = NO_UNITS;
    for (let next = this.criticalSeen; ; ) {
      const critical = this.viewCursor.view.log.criticalFrom(next);
      if (critical === undefined) break;
      next = critical.index + 1;
      this.criticalSeen = next;
      if (!this.isPending(critical.unit)) continue;
      if (critical.index >= this.viewCursor.cursor || this.backlog !== undefined) pending.push(critical.unit);
    }
    return pending;
  }

  /** Sends critical events of another place as if they had just arrived (R4). */
  protected sendCriticals(units: readonly EventUnit[]): void {
    for (const unit of units) {
      if (!this.mayGoAhead()) return;
      this.passOver(unit.epoch);
      this.overtaking = [...this.overtaking, unit];
    }
  }

  /** Leaves out the event of this epoch when its turn comes. */
  protected passOver(epoch: Epoch): void {
    this.remember().wentAhead(epoch);
  }

  /**
   * Whether another critical event may go ahead. At the limit of what can be remembered, critical events come in order, until all that went ahead are
   * passed (R18).
   */
  private mayGoAhead(): boolean {
    this.isAheadFull ||= (this.outOfOrder?.aheadCount() ?? 0) >= AHEAD_LIMIT;
    return !this.isAheadFull;
  }

  /** Whether the event of this epoch went ahead of its place. */
  protected wentAhead(epoch: Epoch): boolean {
    return this.outOfOrder?.hasGoneAhead(epoch) === true;
  }

  /** Whether a critical event of the view is still pending. It may have left before this view took it, or from the view before (R34). */
  private isPending(unit: EventUnit): boolean {
    return !this.wentAhead(unit.epoch) && this.backlog?.owes(unit.entry) !== false;
  }

  protected batchOf(out: readonly Delivery[]): Taken | undefined {
    const [first] = out;
    if (first === undefined) return undefined;
    return { kind: "batch", batch: out.length === 1 ? first.alone() : createDeliveryBatch(out), isAll: false };
  }

  protected noteQuestion(unit: Unit): void {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) this.asked(unit.entry);
  }

  /** Hands over a unit in the form in which it is delivered; undefined if nothing of it is left (R4). */
  protected give(unit: Unit, out: Delivery[]): Unit | undefined {
    const told =
      unit.kind === "event" && this.outOfOrder !== undefined
        ? this.outOfOrder.states.told(unit, this.viewCursor.view.remade)
        : unit;
    if (told === undefined) return undefined;
    out.push(this.viewCursor.view.deliveryOf(told));
    this.noteQuestion(told);
    if (told.kind === "event" && gapOf(told) !== undefined) this.declared(told);
    return told;
  }

  /** Sends a unit. Returns true if it left and counts against the budget. */
  protected send(waiting: Unit, out: Delivery[], now: Millis): boolean {
    const { pace, services } = this;
    const unit = this.give(waiting, out);
    if (unit === undefined) {
      this.counts.merged += 1;
      return false;
    }
    if (pace.paceWpm !== undefined && unit.kind === "text" && unit.text.length > 0) {
      const spokenMs = (wordCount(unit.text) * 60_000) / pace.paceWpm;
      this.spokenAt = now + Math.min(spokenMs, services.maxHoldMs());
    }
    return true;
  }

  /** Sends a critical event ahead, marked with the number of events that it overtakes (R4). */
  private sendAlone(critical: EventUnit, overtaken: Overtaken, out: Delivery[]): void {
    const { view } = this.viewCursor;
    const { services, queue, pace } = this;
    const outOfOrder = this.remember();
    const isOld = (waiting: Unit): waiting is EventUnit => isSuperseded(waiting, critical);
    // Progress and states of the same agent that wait in the queue are outdated by then.
    for (const old of queue.remove(isOld)) if (old.kind === "event") outOfOrder.rememberState(old, critical);
    // If the critical event is a state, it begins where the overtaken states did. Otherwise they are remembered when their turn comes.
    const isState = critical.entry.kind === "state.changed";
    if (isState) for (const old of overtaken.units.filter(isOld)) outOfOrder.rememberState(old, critical);
    const untaken = overtaken.untaken.filter((rendering) => {
      if (!isSupersededBy(rendering, critical.entry)) return !outOfOrder.hasGoneAhead(rendering.entry.epoch);
      if (isState) outOfOrder.rememberState(unitOf(rendering, view, roleOf(rendering)), critical);
      return false;
    });
    const unit = outOfOrder.states.told(critical, view.remade) ?? critical;
    const units = overtaken.units.filter((waiting) => !isOld(waiting) && outOfOrder.admit(waiting) !== undefined);
    const queued = queue.ofSession(critical.session).filter(({ firstEpoch }) => firstEpoch < critical.epoch);
    // The subscription may have got the held text by other terms.
    const held = overtaken.held.filter(
      ({ output, endPosition }) => endPosition > (outOfOrder.textFloors.get(output)?.position ?? 0),
    );
    const all = { held, units: [...queued, ...units], untaken };
    const count = overtakenCount(all, view.terms, pace.limited || pace.paused);
    if (count > 0) this.counts.overtook += 1;
    const mark = (event: AgentEvent): AgentEvent => services.rules.markOvertook(event, count);
    out.push((count === 0 ? unit : view.remade(unit, `overtook ${count}`, mark)).delivery);
    this.noteQuestion(unit);
    outOfOrder.wentAhead(critical.epoch);
    outOfOrder.supersede(critical);
  }

  /** Takes critical events first, past queue, budget and pause, in the order of the journal (R4). */
  protected takeCritical(out: Delivery[], now: Millis): void {
    for (;;) {
      const critical = this.viewCursor.view.log.criticalFrom(this.criticalSeen);
      const [next] = this.overtaking;
      if (next !== undefined && (critical === undefined || next.epoch < critical.unit.epoch)) {
        this.overtaking = this.overtaking.slice(1);
        this.sendOvertaking(next, out);
        continue;
      }
      if (critical === undefined) return;
      this.criticalSeen = critical.index + 1;
      if (!this.isPending(critical.unit) || (this.backlog !== undefined && !this.mayGoAhead())) continue;
      if (critical.index < this.viewCursor.cursor && this.backlog === undefined) continue;
      this.takeOneCritical(critical.index, critical.unit, out, now);
    }
  }

  /** Sends a critical event ahead of its place, because its view has not taken it, the subscription reads the journal, or is asked now (R6). */
  protected sendOvertaking(unit: EventUnit, out: Delivery[]): void {
    this.enqueueNoticesOf(unit.session);
    // The event is marked before the journal is read for it. The read may find a gap, which adds the ends of sessions unless they are marked (R27).
    this.passOver(unit.epoch);
    this.enqueueBefore(unit);
    const { backlog, viewCursor } = this;
    const { view } = viewCursor;
    const inView = (): Overtaken => ({
      units: overtakenUnits(viewCursor, view.log.end(), unit.entry),
      held: view.epoch() < unit.epoch ? view.texts.heldIn(unit.session) : [],
      untaken: this.services.hub.overtaken(view, unit.entry),
    });
    this.sendAlone(unit, backlog?.overtaken(unit.entry) ?? inView(), out);
  }

  private takeOneCritical(index: number, unit: EventUnit, out: Delivery[], now: Millis): void {
    if (this.backlog !== undefined) {
      this.sendOvertaking(unit, out);
      return;
    }
    const { queue, viewCursor, pace } = this;
    this.enqueueNoticesOf(unit.session);
    const isReached = this.enqueueBefore(unit);
    const held = queue.ofSession(unit.session);
    if (!pace.paused && isReached && held.length <= FLUSH_LIMIT) {
      queue.remove((waiting) => held.includes(waiting));
      for (const ahead of held) if (this.send(ahead, out, now)) this.budget.spend(now);
      this.advanceTo(index + 1);
      this.give(unit, out);
      return;
    }
    const units = overtakenUnits(viewCursor, index, unit.entry);
    this.advanceTo(viewCursor.cursor === index ? index + 1 : viewCursor.cursor);
    this.sendAlone(unit, { units, held: [], untaken: [] }, out);
    if (viewCursor.cursor > index) this.outOfOrder?.settle(unit);
  }
}
