// The units that leave one subscription, and how the critical ones leave first (R4, R9). When the rest may leave is in pull.ts.
import type { Millis } from "../../contracts/clock.js";
import { type Overtaken, overtakenCount } from "../catch-up/overtaken.js";
import { isSuperseded, isSupersededBy, overtakenUnits } from "../catch-up/superseded.js";
import { type AgentEvent, type Epoch, isQuestionKind } from "../event/event.js";
import { wordCount } from "../text/word-count.js";
import { createDeliveryRun, type Delivery } from "../views/delivery.js";
import { gapOf, unitOf } from "../views/event-units.js";
import type { EventUnit, Unit } from "../views/unit.js";
import { roleOf } from "../views/view.js";
import { AHEAD_LIMIT } from "./given-apart.js";
import { Intake } from "./intake.js";
import type { HandedOver } from "./joining.js";
import type { Taken } from "./taken.js";

/** Most events flushed ahead of a critical one (R4). */
const FLUSH_LIMIT = 4;
export const NO_UNITS: readonly never[] = [];

/** The third part of a subscription. A class, because there is one for each subscription. */
export abstract class Outlet extends Intake {
  protected criticalSeen = this.standing.view.log.end();
  protected expedited: readonly EventUnit[] = NO_UNITS;
  protected isAheadFull = false;

  protected override handedOver(): HandedOver | undefined {
    // A place may stand behind a critical event that waits to go ahead.
    return this.expedited.length > 0 ? undefined : super.handedOver();
  }

  /** Critical events that it was to send and could not yet, taken out of its hands. */
  protected takePendingCriticals(): readonly EventUnit[] {
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

  /** Sends critical events of another place as if they had just come (R4). */
  protected sendCriticals(units: readonly EventUnit[]): void {
    for (const unit of units) {
      if (!this.mayGoAhead()) return;
      this.passOver(unit.epoch);
      this.expedited = [...this.expedited, unit];
    }
  }

  /** What stands at this epoch is not given when its turn comes. */
  protected passOver(epoch: Epoch): void {
    this.remember().wentAhead(epoch);
  }

  /** From where no more can be remembered, critical events come in their place and in order, until all that went ahead has been passed (R18). */
  private mayGoAhead(): boolean {
    this.isAheadFull ||= (this.apart?.aheadCount() ?? 0) >= AHEAD_LIMIT;
    return !this.isAheadFull;
  }

  /** Whether a critical event went ahead of its place. */
  protected wentAhead(epoch: Epoch): boolean {
    return this.apart?.hasGoneAhead(epoch) === true;
  }

  /** Whether a critical event of its view has not left: before that view took it, or from the view that it shared before (R34). */
  private isOwed(unit: EventUnit): boolean {
    return !this.wentAhead(unit.epoch) && this.backlog?.owes(unit.entry) !== false;
  }

  protected runOf(out: readonly Delivery[]): Taken | undefined {
    const [first] = out;
    if (first === undefined) return undefined;
    return { kind: "run", run: out.length === 1 ? first.alone() : createDeliveryRun(out), isAll: false };
  }

  protected noteQuestion(unit: Unit): void {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) this.asked(unit.entry);
  }

  /** Hands a unit over as it is told; undefined where nothing of it is left to tell (R4). */
  protected give(unit: Unit, out: Delivery[]): Unit | undefined {
    const told =
      unit.kind === "event" && this.apart !== undefined
        ? this.apart.states.told(unit, this.standing.view.remade)
        : unit;
    if (told === undefined) return undefined;
    out.push(this.standing.view.deliveryOf(told));
    this.noteQuestion(told);
    if (told.kind === "event" && gapOf(told) !== undefined) this.declared(told);
    return told;
  }

  /** True: it left, and is to be paid for. */
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

  /** Sends a critical event ahead of what it overtakes, and says how much that is (R4). */
  private sendAlone(critical: EventUnit, overtaken: Overtaken, out: Delivery[]): void {
    const { view } = this.standing;
    const { services, queue, pace } = this;
    const apart = this.remember();
    const isOld = (waiting: Unit): waiting is EventUnit => isSuperseded(waiting, critical);
    // What it overtook of its own agent's progress and states is old news by the time it could be told.
    for (const old of queue.remove(isOld)) if (old.kind === "event") apart.rememberState(old, critical);
    // A state itself, it begins where those that it overtook did; else they are remembered when their turn comes.
    const isState = critical.entry.kind === "state.changed";
    if (isState) for (const old of overtaken.units.filter(isOld)) apart.rememberState(old, critical);
    const untaken = overtaken.untaken.filter((live) => {
      if (!isSupersededBy(live, critical.entry)) return !apart.hasGoneAhead(live.entry.epoch);
      if (isState) apart.rememberState(unitOf(live, view, roleOf(live)), critical);
      return false;
    });
    const unit = apart.states.told(critical, view.remade) ?? critical;
    const units = overtaken.units.filter((waiting) => !isOld(waiting) && apart.admit(waiting) !== undefined);
    const queued = queue.ofSession(critical.session).filter(({ firstEpoch }) => firstEpoch < critical.epoch);
    // What its view holds for others it may have been given by other terms.
    const held = overtaken.held.filter(
      ({ output, endPosition }) => endPosition > (apart.floors.get(output)?.position ?? 0),
    );
    const all = { held, units: [...queued, ...units], untaken };
    const count = overtakenCount(all, view.terms, pace.limited || pace.paused);
    if (count > 0) this.counts.overtook += 1;
    const mark = (event: AgentEvent): AgentEvent => services.rules.markOvertook(event, count);
    out.push((count === 0 ? unit : view.remade(unit, `overtook ${count}`, mark)).delivery);
    this.noteQuestion(unit);
    apart.wentAhead(critical.epoch);
    apart.supersede(critical);
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

  /** Sends a critical event ahead of its place: its view has not taken it, or the subscription reads from the journal, or is asked now (R6). */
  protected sendExpedited(unit: EventUnit, out: Delivery[]): void {
    this.sayOf(unit.session);
    // Known from here on: what is read for it may be a gap, which tells how sessions ended of those that were not told (R27).
    this.passOver(unit.epoch);
    this.absorbBefore(unit);
    const { backlog, standing } = this;
    const { view } = standing;
    const inView = (): Overtaken => ({
      units: overtakenUnits(standing, view.log.end(), unit.entry),
      held: view.epoch() < unit.epoch ? view.texts.heldIn(unit.session) : [],
      untaken: this.services.hub.overtaken(view, unit.entry),
    });
    this.sendAlone(unit, backlog?.overtaken(unit.entry) ?? inView(), out);
  }

  private takeOneCritical(index: number, unit: EventUnit, out: Delivery[], now: Millis): void {
    if (this.backlog !== undefined) {
      this.sendExpedited(unit, out);
      return;
    }
    const { queue, standing, pace } = this;
    this.sayOf(unit.session);
    const isReached = this.absorbBefore(unit);
    const held = queue.ofSession(unit.session);
    if (!pace.paused && isReached && held.length <= FLUSH_LIMIT) {
      queue.remove((waiting) => held.includes(waiting));
      for (const ahead of held) if (this.send(ahead, out, now)) this.budget.spend(now);
      this.advanceTo(index + 1);
      this.give(unit, out);
      return;
    }
    const units = overtakenUnits(standing, index, unit.entry);
    this.advanceTo(standing.cursor === index ? index + 1 : standing.cursor);
    this.sendAlone(unit, { units, held: [], untaken: [] }, out);
    if (standing.cursor > index) this.apart?.settle(unit);
  }
}
