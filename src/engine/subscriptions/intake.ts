// What one subscription takes over into its own queue: out of its view, or out of the journal where it fell behind (R9, R10, R18). What of it
// leaves, and when, is in outlet.ts and pull.ts.
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

/** So many steps of reading are taken out of turn for a critical event: where little waits, what it overtakes is counted exactly. */
const READ_FOR_COUNTING = 32;

/** By their keys, the outputs of which more was given than the point's epoch says; `floors` tell of outputs of which nothing is to come yet. */
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
  // Only while something was given out of order, before, or is skipped.
  protected outOfOrder: OutOfOrder | undefined;
  // Units that arrived before this moment waited for a pause or a peer, and merge (R10, R26).
  protected pressureUntil = Number.NEGATIVE_INFINITY;
  // When the last text will have been spoken; units that arrive before wait for that, and merge (R15).
  protected spokenAt = Number.NEGATIVE_INFINITY;
  private isLastMerging = false;
  // Made with the first that is asked or urged.
  private urgent: UrgentUnits | undefined;

  constructor(spec: SubscriptionSpec, services: SubscriptionServices, shared: SharedView) {
    super(spec, services, shared);
    this.viewCursor = { view: shared.view, cursor: shared.view.log.end() };
    this.queue = createDeliveryQueue(this);
    this.budget = createRateBudget(spec.terms.maxEventsPerSecond, services.rules.limits.burst, services.now());
    this.pace = paceOf(spec.terms);
  }

  /** Whether it has taken everything that its view has given. */
  protected isAtEnd(): boolean {
    const { view, cursor } = this.viewCursor;
    return this.backlog === undefined && this.waiting() === 0 && cursor >= view.log.end();
  }

  /** Whether it stands at the end of its view, and is owed what that holds and nothing else. */
  protected isLevel(): boolean {
    return this.outOfOrder === undefined && this.urgent === undefined && this.isAtEnd();
  }

  /** How far all that was to leave has left; undefined while something is owed that no journal has, or leaves at once (R17). */
  protected handedOver(): HandedOver | undefined {
    const { outOfOrder } = this;
    const queued = this.queue.all();
    // No journal has what is still to be said, and what leaves at once has its place elsewhere.
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

  /** Of outputs, by their digests, more was given than of all others (R17). */
  protected setDelivered(outputs: ReadonlyMap<string, DeliveredText>): void {
    if (outputs.size > 0) this.remember().setDelivered(outputs);
  }

  /** How many units wait in its queue, and how many sessions have still to be told of. */
  protected waiting(): number {
    return this.queue.size() + this.pendingNoticeCount();
  }

  /** Puts units before everything that waits; they leave at once and at no cost. */
  protected sendFirst(units: readonly Unit[]): void {
    if (units.length > 0) this.urgentUnits().sendFirst(units);
  }

  /** Begins the next take with the questions that were asked before, up to this epoch, and are open by then. */
  protected sendOpenQuestions(upTo: Epoch): void {
    // Found at once: where there is none, nothing keeps back the place that the subscription has reached (R17), and nothing is made.
    const questions = this.questionsBefore(upTo);
    const hasNotices = (this.briefing()?.noticeCount() ?? 0) > 0;
    if (this.urgent !== undefined || hasNotices || questions.length > 0)
      this.urgentUnits().sendOpenQuestions(questions);
  }

  /** Everything that was released to it and has not left, in order; of what a reader has not read, nothing. */
  protected waitingUnits(): readonly Unit[] {
    const units = [...this.queue.all()];
    const released = this.backlog?.released() ?? this.viewCursor.view.log.from(this.viewCursor.cursor);
    for (const unit of released) {
      const admitted = this.outOfOrder === undefined ? unit : this.outOfOrder.admit(unit);
      if (admitted !== undefined) units.push(admitted);
    }
    return units;
  }

  /** Takes out what its queue holds of the journal, so that it can be read from there again. */
  protected giveBack(): readonly Unit[] {
    return this.queue.remove((unit) => !isLocal(unit));
  }

  /** Forgets its queue (R26). */
  protected forget(): void {
    this.queue.remove(() => true);
    this.outOfOrder?.states.forget();
  }

  /** From where the journal would have to be read for all that has not left, `queued` included. */
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

  /** Whether questions or notices are left that come before all that is not critical. */
  protected isAsking(): boolean {
    return this.urgent?.hasMore() === true;
  }

  /** Units that leave at once and at no cost; at most so many that a turn of the event loop bears them. */
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

  /** How much has still to be said of what was before. */
  protected pendingNoticeCount(): number {
    return this.briefing()?.count() ?? 0;
  }

  /** The unsaid of a session comes before something live of it (R17). */
  protected enqueueNoticesOf(session: string): void {
    for (const unit of this.briefing()?.ofSession(session) ?? []) this.queue.put(unit);
  }

  /** Sums go ahead of all that is live for one second of the budget; the others when their session or nobody else has something (R17). */
  private areNoticesAhead(): boolean {
    const briefing = this.briefing();
    return briefing !== undefined && briefing.count() > 0 && briefing.enqueuedCount() < this.budget.perSecond();
  }

  /** Says the next of what is still to be said; undefined where there is none. */
  private enqueueNotice(): "taken" | "full" | undefined {
    const briefing = this.briefing();
    if (briefing === undefined || briefing.count() === 0) return undefined;
    if (this.queue.isFull()) return "full";
    for (const unit of briefing.next() ?? []) this.queue.put(unit);
    return "taken";
  }

  /** Moves one unit from the source into the queue, or says something of what was before. */
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
   * Takes over what stands before a critical event; where its view has not taken that, all that there is. Of the journal a little is read at once, so
   * that what the event overtakes can be counted (R4). False: there is more than there is room for.
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

  /** Takes over the texts that stand next, as one, together with all who held them back as long. */
  protected enqueueStretch(): TextStretch | undefined {
    const { view, cursor } = this.viewCursor;
    const stretch = this.areTextsPlain() ? view.stretchFrom(cursor) : undefined;
    if (stretch === undefined) return undefined;
    this.queue.offer(stretch.unit, false);
    this.counts.merged += stretch.next - cursor - 1;
    this.advanceTo(stretch.next);
    return stretch;
  }

  /** Takes over all that arrived while it could not have left. False: the queue is full. */
  protected enqueueHeld(): boolean {
    // It is made as it leaves.
    if (this.areNoticesAhead()) return false;
    const before = Math.max(this.pressureUntil, this.spokenAt, this.budget.availableAt());
    for (;;) {
      const source = this.sourceNow();
      const unit = source?.view.log.at(source.cursor);
      if (unit === undefined) return true;
      if (this.backlog === undefined && unit.at >= before && this.queue.size() === 0) return true;
      this.isLastMerging = this.isMerging(unit);
      const stretch = this.isLastMerging ? this.enqueueStretch() : undefined;
      // It does not grow any more. What follows of the text waits in the view, where it is everybody's, and not here.
      if (stretch?.isCutOff === true) return true;
      if (stretch === undefined && this.enqueueOne(this.isLastMerging) === "full") return false;
    }
  }

  /** What would merge with what its reader has still to read waits for that, over the turns that this takes (R9, R10). */
  protected isReadingOn(): boolean {
    return this.backlog?.isResting() === true && (this.pace.limited || this.isLastMerging);
  }

  /** Where the next unit comes from: the journal while it is behind, else the view. A reader that has caught up moves the place itself. */
  private sourceNow(before?: Epoch): ViewCursor | undefined {
    const from = this.backlog?.next(before);
    return from === undefined && this.backlog === undefined ? this.viewCursor : from;
  }

  /** Whether a unit waits for a budget, a pause or a voice, and so merges (R9, R10, R15, R26). */
  private isMerging(unit: Unit): boolean {
    const { limited, paused } = this.pace;
    return limited || paused || unit.at < Math.max(this.pressureUntil, this.spokenAt);
  }

  /** Nothing of its own decides what becomes of the next texts: they merge as they do for everyone with these terms. */
  private areTextsPlain(): boolean {
    return this.backlog === undefined && this.waiting() === 0 && this.outOfOrder?.concernsText() !== true;
  }
}
