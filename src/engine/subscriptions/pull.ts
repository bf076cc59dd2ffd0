// The units that a subscription may take now, from its view or from the journal, within its budget. Units are pulled: until the driver asks, nothing
// is copied, and waiting units can still merge (AAEP §5.6, §8.8, R4, R9, R18).
import type { Millis } from "../../contracts/clock.js";
import type { BacklogReader } from "../catch-up/backlog-reader.js";
import type { CatchUpPoint, TextFloor } from "../catch-up/catch-up-point.js";
import { createDeliveryBatch, type Delivery } from "../views/delivery.js";
import { isCritical, isLocal } from "../views/unit.js";
import { createDraining, type Draining } from "./draining.js";
import type { Pace } from "./joining.js";
import { NO_UNITS, Outlet } from "./outlet.js";
import type { Drained, Taken } from "./taken.js";

/**
 * Most events of one batch. A slow peer has to take a batch before anything critical can pass, and a batch is shaped and encoded before others have
 * their turn (R34).
 */
const BATCH_LIMIT = 32;
/** Most notices of one batch, because each is made for it. */
const NOTICE_LIMIT = 32;
const IDLE: Taken = { kind: "idle" };

/** The fourth part of a subscription. A class, because there is one for each subscription. */
export abstract class Pull extends Outlet {
  private blocked = false;
  // Units before this index arrived while the peer took nothing.
  private backlogEnd = 0;
  // When the subscription last began to follow its view; in the future while it reads the journal.
  private followsSince = Number.NEGATIVE_INFINITY;
  // Set at the subscription's end.
  private draining: Draining | undefined;

  protected next(now: Millis): Taken {
    const { viewCursor } = this;
    if (this.isShortCut()) {
      const { log } = viewCursor.view;
      const shared = log.batch(viewCursor.cursor);
      if (shared === undefined) return IDLE;
      const { batch, next, isLast } = shared;
      if (log.lastCritical() >= viewCursor.cursor)
        for (const unit of log.from(viewCursor.cursor, next)) this.noteQuestion(unit);
      viewCursor.cursor = next;
      this.criticalSeen = next;
      this.budget.spend(now);
      return { kind: "batch", batch, isAll: isLast };
    }
    const out = this.takeUrgent();
    const isHeldBack = this.holdsBack();
    if (isHeldBack) this.takeCritical(out, now);
    if (!this.pace.paused && !this.isAsking()) this.takeLimited(out, now);
    // A batch is limited, so a critical event behind it may have to leave before the next batch (R34).
    if (!isHeldBack) this.criticalSeen = Math.max(this.criticalSeen, viewCursor.cursor);
    this.forgetPassed();
    return this.batchOf(out) ?? this.nextWait(now);
  }

  /** The critical units that may leave now. */
  protected nextCritical(now: Millis): Taken {
    const out = this.takeUrgent();
    this.takeCritical(out, now);
    return this.batchOf(out) ?? IDLE;
  }

  /** Whether an append to its view should wake the subscription: false while it waits for the budget, a pause or the peer. */
  protected isReady(now: Millis): boolean {
    return !this.blocked && !this.pace.paused && this.budget.availableAt() <= now;
  }

  protected setPace(next: Pace, now: Millis): void {
    if (this.pace.paused && !next.paused) this.pressureUntil = now;
    if (next.paceWpm === undefined) this.spokenAt = Number.NEGATIVE_INFINITY;
    this.pace = next;
  }

  /** Continues at the end of its view, after new terms or after falling behind. With `reader`, the journal comes first. */
  protected standAtEnd(reader: BacklogReader | undefined): void {
    const { view } = this.shared;
    if (view !== this.viewCursor.view) {
      this.criticalSeen = view.log.end();
      this.backlogEnd = 0;
    }
    this.viewCursor = { view, cursor: view.log.end() };
    this.backlog = reader;
    this.followsSince = reader === undefined ? this.services.now() : Number.POSITIVE_INFINITY;
  }

  /** Whether the subscription has followed its view since that instant, so that only its terms and its peer delayed later events. */
  protected isLiveSince(at: Millis): boolean {
    return at >= this.followsSince;
  }

  /** Whether the terms may hold units back: by a rate, a pace or a pause. */
  protected isHeldByTerms(): boolean {
    const { limited, paused, paceWpm } = this.pace;
    return limited || paused || paceWpm !== undefined;
  }

  /**
   * Takes the units before `upTo` into the queue, so that the view may drop them. Returns false if the queue is full, or a critical unit or a notice
   * is in the way.
   */
  protected enqueue(upTo: number): boolean {
    // Sessions are not briefed in the middle of a delivery, and no unit is taken ahead of a notice.
    if (this.pendingNoticeCount() > 0) return false;
    const end = Math.min(upTo, this.viewCursor.view.log.criticalFrom(this.criticalSeen)?.index ?? upTo);
    while (this.viewCursor.cursor < end)
      if (this.enqueueStretch() === undefined && this.enqueueOne(this.pace.limited) === "full") return false;
    return this.viewCursor.cursor >= upTo;
  }

  /** Raises the floor of an output: its text below is not delivered. */
  protected trim(output: string, floor: TextFloor): void {
    this.remember().raiseFloor(output, floor);
  }

  /** Sets the floor of each output of the point to its position. */
  protected setFloors({ positions, resumeFloors: resumeFloor, deliveredEpoch }: CatchUpPoint): void {
    for (const [output, position] of positions)
      this.remember().setFloor(output, {
        position,
        epoch: resumeFloor?.get(output) ?? 0,
        deliveredEpoch: deliveredEpoch?.get(output) ?? 0,
      });
  }

  protected dropOutput(output: string): void {
    let isOver = false;
    this.queue.replace((unit) => {
      if (unit.kind !== "text" || unit.output !== output) return unit;
      isOver ||= unit.complete;
      return unit.complete ? this.services.rules.completeSkipped(unit) : undefined;
    });
    if (isOver) return;
    this.remember().skip(output);
  }

  protected markBlocked(next: boolean): void {
    if (this.blocked && !next) this.backlogEnd = this.viewCursor.view.log.end();
    this.blocked = next;
  }

  /** The next part of all pending units, whatever the budget (R8a), by bounded work. After the first part, `take` is not called any more. */
  protected drainNext(now: Millis): Drained {
    const out = this.takeUrgent();
    for (const unit of this.overtaking) this.give(unit, out);
    this.overtaking = NO_UNITS;
    this.backlog?.hurry();
    this.pace = { limited: this.pace.limited, paused: false, paceWpm: undefined };
    this.draining ??= createDraining(this.queue, () => this.enqueueOne(this.pace.limited));
    const isAll = !this.isAsking() && this.draining.part((unit) => this.send(unit, out, now));
    if (out.length > 0) return { kind: "batch", batch: createDeliveryBatch(out) };
    return { kind: isAll && this.backlog?.isReading() !== true ? "done" : "later" };
  }

  /** Number of epochs, outputs and agents remembered because they went ahead, were delivered before, or are skipped. */
  protected remembered(): number {
    return (this.outOfOrder?.count() ?? 0) + this.urgentCount() + this.overtaking.length;
  }

  private takeLimited(out: Delivery[], now: Millis): void {
    const { queue, budget } = this;
    for (let room = NOTICE_LIMIT; out.length < BATCH_LIMIT && room > 0 && budget.availableAt() <= now; ) {
      if (this.pendingNoticeCount() > 0) room -= 1;
      const all = this.enqueueHeld();
      if (all && this.isReadingOn()) return;
      if (queue.size() === 0 && this.enqueueOne(false) === "empty") return;
      const head = queue.head();
      if (head === undefined) continue;
      if (head.kind === "text" && head.text.length > 0 && now < this.spokenAt) return;
      queue.shift();
      if (this.send(head, out, now)) budget.spend(now);
      if (!all) this.enqueueHeld();
    }
  }

  /** Whether nothing but its cursor decides what the subscription gets. */
  private isPlain(): boolean {
    return (
      !this.isHeldByTerms() &&
      this.backlog === undefined &&
      this.queue.size() === 0 &&
      (this.brief === undefined || this.pendingNoticeCount() === 0) &&
      (this.urgent === undefined || !this.isAsking()) &&
      this.overtaking.length === 0
    );
  }

  /** Whether units may wait that a critical event has to pass. Units of the current turn never count as held for an idle subscription. */
  private holdsBack(): boolean {
    return !this.isPlain() || this.viewCursor.cursor < this.backlogEnd;
  }

  /**
   * Whether the next units leave as for all subscriptions. Units that arrived while the peer took nothing are held back only from critical events.
   */
  private isShortCut(): boolean {
    if (this.urgent !== undefined || this.outOfOrder !== undefined || !this.isPlain()) return false;
    const { cursor, view } = this.viewCursor;
    return cursor >= this.backlogEnd || view.log.criticalFrom(this.criticalSeen) === undefined;
  }

  private nextWait(now: Millis): Taken {
    // The notices that were looked at had no unit; the next ones follow in the next take.
    if (this.isAsking()) return { kind: "wait", until: now };
    if (this.pace.paused) return IDLE;
    if (this.pendingNoticeCount() > 0 && this.queue.size() === 0)
      return { kind: "wait", until: Math.max(now, this.budget.availableAt()) };
    const head = this.queue.head();
    const spoken = head?.kind === "text" ? this.spokenAt : Number.NEGATIVE_INFINITY;
    // A text that has not arrived cannot be waited for. All other units may leave at once.
    const until = Math.max(this.budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : IDLE;
  }

  private takeUrgent(): Delivery[] {
    const out: Delivery[] = [];
    // A question that is also about to go ahead leaves only once.
    for (const unit of this.nextUrgent((epoch) => this.overtaking.some((one) => one.epoch === epoch))) {
      if (isCritical(unit)) {
        // A question that is asked at once is not asked again in its place in the backlog (R28).
        this.queue.remove((waiting) => isCritical(waiting) && waiting.epoch === unit.epoch && !isLocal(waiting));
        this.sendOvertaking(unit, out);
      } else this.give(unit, out);
    }
    return out;
  }

  /** Forgets events that went ahead, if the subscription is at the end of its view, so that none of them can come again. */
  private forgetPassed(): void {
    const { view, cursor } = this.viewCursor;
    if (this.outOfOrder === undefined || this.backlog !== undefined || cursor < view.log.end()) return;
    if (this.isBehind(view)) return;
    this.isAheadFull = false;
    this.outOfOrder.forgetPassed((output) => view.texts.heldOffset(output) !== undefined, view.texts.held);
    if (this.outOfOrder.count() === 0) this.outOfOrder = undefined;
  }
}
