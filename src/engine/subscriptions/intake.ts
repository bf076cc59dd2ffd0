// The units that a subscription takes from its view, or from the journal after falling behind, into its own queue (R9, R10, R18). outlet.ts and
// pull.ts decide which of them leave, and when.
import type { BacklogReader } from "../catch-up/backlog-reader.js";
import { type CatchUpPoint, catchUpPoint, resumePosition, type TextFloor } from "../catch-up/catch-up-point.js";
import { type DeliveredText, MOST_CURSOR_OUTPUTS } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import type { TextStretch } from "../views/text-stretches.js";
import { type EventUnit, isLocal, type Unit } from "../views/unit.js";
import type { ViewCursor } from "../views/view.js";
import { createDeliveryQueue, type DeliveryQueue } from "./delivery-queue.js";
import { type HandedOver, type Pace, paceOf } from "./joining.js";
import { Listener } from "./listener.js";
import { createOutOfOrder, type OutOfOrder } from "./out-of-order.js";
import { createRateBudget, type RateBudget } from "./rate-budget.js";
import type { SubscriptionServices, SubscriptionSpec } from "./subscription-spec.js";
import { createUrgentUnits, type UrgentUnits } from "./urgent-units.js";

const NO_TEXT_FLOORS: ReadonlyMap<string, TextFloor> = new Map();
const NO_OUTPUTS: ReadonlyMap<string, DeliveredText> = new Map();
const NOTHING_SKIPPED: ReadonlySet<string> = new Set();

/** Number of reading steps that a critical event may take out of turn. If few events wait, the count of overtaken events is exact. */
const READ_FOR_COUNTING = 32;

/** Text delivered beyond the epoch of the point, by output. `textFloors` has the outputs without pending text. */
function* deliveredEpochs(
  point: CatchUpPoint,
  textFloors: ReadonlyMap<string, TextFloor>,
): Iterable<readonly [output: string, given: DeliveredText]> {
  for (const [output, to] of point.positions) yield [output, { to, epoch: point.deliveredEpoch?.get(output) ?? 0 }];
  for (const [output, { position, deliveredEpoch: epoch }] of textFloors)
    if (!point.positions.has(output)) yield [output, { to: position, epoch }];
}

/** The second part of a subscription. A class, because there is one for each subscription. */
export abstract class Intake extends Listener {
  protected viewCursor: ViewCursor;
  protected backlog: BacklogReader | undefined;
  protected pace: Pace;
  protected readonly queue: DeliveryQueue;
  protected readonly budget: RateBudget;
  // Present only while something was delivered out of order or before, or an output is skipped.
  protected outOfOrder: OutOfOrder | undefined;
  // Units that arrived before this instant waited for a pause or a peer, and merge (R10, R26).
  protected pressureUntil = Number.NEGATIVE_INFINITY;
  // The instant at which the last text will have been spoken. Units that arrive earlier wait for it, and merge (R15).
  protected spokenAt = Number.NEGATIVE_INFINITY;
  private isLastMerging = false;
  // Made with the first urgent unit.
  protected urgent: UrgentUnits | undefined;

  constructor(spec: SubscriptionSpec, services: SubscriptionServices, shared: SharedView) {
    super(spec, services, shared);
    this.viewCursor = { view: shared.view, cursor: shared.view.log.end() };
    this.queue = createDeliveryQueue(this);
    this.budget = createRateBudget(spec.terms.maxEventsPerSecond, services.rules.limits.burst, services.now());
    this.pace = paceOf(spec.terms);
  }

  /** Whether the subscription has taken all units of its view. */
  protected isAtEnd(): boolean {
    const { view, cursor } = this.viewCursor;
    return this.backlog === undefined && this.waiting() === 0 && cursor >= view.log.end();
  }

  /** Whether the only pending text of the subscription is the text that its view holds. */
  protected isLevel(): boolean {
    return this.outOfOrder === undefined && this.urgent === undefined && this.isAtEnd();
  }

  /** The place up to which all units have left. Undefined while a pending unit is in no journal, or leaves at once (R17). */
  protected handedOver(): HandedOver | undefined {
    const { outOfOrder } = this;
    const queued = this.queue.all();
    // Notices are in no journal, and urgent units leave out of order.
    const isBriefing = this.pendingNoticeCount() > 0 || this.isAsking() || this.urgentCount() > 0;
    if (isBriefing || queued.some(isLocal) || this.backlog?.isTelling() === true) return undefined;
    const before = outOfOrder?.unmet() ?? NO_OUTPUTS;
    if (this.backlog === undefined && outOfOrder?.concernsText() !== true) {
      const { after, outputs } = resumePosition(this.viewCursor, queued, MOST_CURSOR_OUTPUTS);
      return { after, further: { owed: outputs, skipped: NOTHING_SKIPPED, before } };
    }
    const skipped = outOfOrder?.skipped ?? NOTHING_SKIPPED;
    const textFloors = outOfOrder?.textFloors ?? NO_TEXT_FLOORS;
    const point =
      this.backlog?.point(queued, textFloors, skipped) ?? catchUpPoint(this.viewCursor, queued, textFloors, skipped);
    return { after: point.after, further: { owed: deliveredEpochs(point, textFloors), skipped, before } };
  }

  /** Sets the outputs, by digest, of which more text was delivered than the place says (R17). */
  protected setDelivered(outputs: ReadonlyMap<string, DeliveredText>): void {
    if (outputs.size > 0) this.remember().setDelivered(outputs);
  }

  /** Number of units in the queue, and of sessions with a notice left. */
  protected waiting(): number {
    return this.queue.size() + this.pendingNoticeCount();
  }

  /** Puts units before all others; they leave at once and outside the budget. */
  protected sendFirst(units: readonly Unit[]): void {
    if (units.length > 0) this.urgentUnits().sendFirst(units);
  }

  /** Lets the next take begin with the questions up to this epoch that are open and were not asked before. */
  protected sendOpenQuestions(upTo: Epoch): void {
    // The questions are looked up now. If there is none, no urgent list is made, and the place can move (R17).
    const questions = this.questionsBefore(upTo);
    const hasNotices = (this.briefing()?.noticeCount() ?? 0) > 0;
    if (this.urgent !== undefined || hasNotices || questions.length > 0)
      this.urgentUnits().sendOpenQuestions(questions);
  }

  /** All units that were released to the subscription and have not left, in order. Events that a reader has not read are not among them. */
  protected waitingUnits(): readonly Unit[] {
    const units = [...this.queue.all()];
    const released = this.backlog?.released() ?? this.viewCursor.view.log.from(this.viewCursor.cursor);
    for (const unit of released) {
      const admitted = this.outOfOrder === undefined ? unit : this.outOfOrder.admit(unit);
      if (admitted !== undefined) units.push(admitted);
    }
    return units;
  }

  /** Removes the units of the journal from the queue, so that they can be read again. */
  protected giveBack(): readonly Unit[] {
    return this.queue.remove((unit) => !isLocal(unit));
  }

  /** Empties the queue (R26). */
  protected forget(): void {
    this.queue.remove(() => true);
    this.outOfOrder?.states.forget();
  }

  /** The point from which the journal has everything that has not left, `queued` included. */
  protected point(queued: readonly Unit[]): CatchUpPoint {
    const textFloors = this.outOfOrder?.textFloors ?? NO_TEXT_FLOORS;
    return this.backlog?.point(queued, textFloors) ?? catchUpPoint(this.viewCursor, queued, textFloors);
  }

  protected remember(): OutOfOrder {
    const { completeSkipped, outputDigest } = this.services.rules;
    this.outOfOrder ??= createOutOfOrder(completeSkipped, (...states) => this.collapsedEvent(...states), outputDigest);
    return this.outOfOrder;
  }

  protected advanceTo(index: number): void {
    this.viewCursor.cursor = index;
  }

  private urgentUnits(): UrgentUnits {
    this.urgent ??= createUrgentUnits(this);
    return this.urgent;
  }

  /** Whether there are questions, notices or other urgent units left, which leave before units that are not critical. */
  protected isAsking(): boolean {
    return this.urgent?.hasMore() === true;
  }

  /** The next urgent units: they leave at once and outside the budget, at most as many as one turn of the event loop bears. */
  protected nextUrgent(isOvertaking: (epoch: Epoch) => boolean): readonly Unit[] {
    const { urgent } = this;
    if (urgent === undefined) return [];
    const units = urgent.take(isOvertaking);
    if (!urgent.hasMore()) this.urgent = undefined;
    return units;
  }

  protected urgentCount(): number {
    return this.urgent?.count() ?? 0;
  }

  /** Number of sessions with losses or a summary left. */
  protected pendingNoticeCount(): number {
    return this.briefing()?.count() ?? 0;
  }

  /** Puts the remaining notices of a session into the queue, before an event of that session (R17). */
  protected enqueueNoticesOf(session: string): void {
    for (const unit of this.briefing()?.ofSession(session) ?? []) this.queue.put(unit);
  }

  /**
   * Whether the next notice goes before live units. That is so for as many notices as the budget replenishes in a second. Later notices go when their
   * session has a unit, or when there is no other unit (R17).
   */
  private areNoticesAhead(): boolean {
    const briefing = this.briefing();
    return briefing !== undefined && briefing.count() > 0 && briefing.enqueuedCount() < this.budget.perSecond();
  }

  /** Puts the next notice into the queue; undefined if none is left. */
  private enqueueNotice(): "taken" | "full" | undefined {
    const briefing = this.briefing();
    if (briefing === undefined || briefing.count() === 0) return undefined;
    if (this.queue.isFull()) return "full";
    for (const unit of briefing.next() ?? []) this.queue.put(unit);
    return "taken";
  }

  /** Moves one unit from the source, or one notice, into the queue. */
  protected enqueueOne(merging: boolean, before?: Epoch): "taken" | "full" | "empty" {
    const said = this.areNoticesAhead() ? this.enqueueNotice() : undefined;
    if (said !== undefined) return said;
    const source = this.sourceNow(before);
    const unit = source?.view.log.at(source.cursor);
    if (source === undefined || unit === undefined) return this.enqueueNotice() ?? "empty";
    this.enqueueNoticesOf(unit.session);
    const admitted = this.outOfOrder === undefined ? unit : this.outOfOrder.admit(unit);
    if (admitted !== undefined && !this.queue.offer(admitted, merging)) return "full";
    this.outOfOrder?.settle(unit);
    source.cursor += 1;
    return "taken";
  }

  /**
   * Takes the units before a critical event, or all units if its view has not reached that event. A few steps of the journal are read at once, so
   * that the overtaken events can be counted (R4). Returns false if the queue has no room for all.
   */
  protected enqueueBefore(critical: EventUnit): boolean {
    this.backlog?.hurry(READ_FOR_COUNTING);
    for (;;) {
      const source = this.sourceNow(critical.epoch);
      const unit = source?.view.log.at(source.cursor);
      if (unit === undefined || (!isLocal(unit) && unit.epoch >= critical.epoch)) return true;
      if (this.enqueueOne(this.isMerging(unit), critical.epoch) === "full") return false;
    }
  }

  /** Takes the next texts as one unit, which the view makes once for all subscriptions that waited equally long. */
  protected enqueueStretch(): TextStretch | undefined {
    const { view, cursor } = this.viewCursor;
    const stretch = this.areTextsPlain() ? view.stretchFrom(cursor) : undefined;
    if (stretch === undefined) return undefined;
    this.queue.offer(stretch.unit, false);
    this.counts.merged += stretch.next - cursor - 1;
    this.advanceTo(stretch.next);
    return stretch;
  }

  /** Takes all units that arrived while they could not leave. Returns false if the queue is full, or if a notice goes first. */
  protected enqueueHeld(): boolean {
    // A notice is made when it leaves.
    if (this.areNoticesAhead()) return false;
    const before = Math.max(this.pressureUntil, this.spokenAt, this.budget.availableAt());
    for (;;) {
      const source = this.sourceNow();
      const unit = source?.view.log.at(source.cursor);
      if (unit === undefined) return true;
      if (this.backlog === undefined && unit.at >= before && this.queue.size() === 0) return true;
      this.isLastMerging = this.isMerging(unit);
      const stretch = this.isLastMerging ? this.enqueueStretch() : undefined;
      // The unit has reached its longest form. The rest of the text stays in the view, which shares it, and not in this queue.
      if (stretch?.isCutOff === true) return true;
      if (stretch === undefined && this.enqueueOne(this.isLastMerging) === "full") return false;
    }
  }

  /** Whether waiting units may still merge with events that the reader has not reached. They wait for these over several turns (R9, R10). */
  protected isReadingOn(): boolean {
    return this.backlog?.isResting() === true && (this.pace.limited || this.isLastMerging);
  }

  /** The source of the next unit: the reader while the subscription is behind, else the view. A reader that has caught up moves the cursor itself. */
  private sourceNow(before?: Epoch): ViewCursor | undefined {
    const from = this.backlog?.next(before);
    return from === undefined && this.backlog === undefined ? this.viewCursor : from;
  }

  /** Whether a unit waits for the budget, a pause or the spoken text, and therefore merges (R9, R10, R15, R26). */
  private isMerging(unit: Unit): boolean {
    const { limited, paused } = this.pace;
    return limited || paused || unit.at < Math.max(this.pressureUntil, this.spokenAt);
  }

  /** Whether the next texts merge as for all subscriptions with these terms, with nothing of this subscription's own to consider. */
  private areTextsPlain(): boolean {
    return this.backlog === undefined && this.waiting() === 0 && this.outOfOrder?.concernsText() !== true;
  }
}
