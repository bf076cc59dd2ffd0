// The units that a subscription may be given now. It pulls units from its view, or from the journal where it fell behind, and pays for them from
// its own budget. Pulling is the point: while nobody asks, nothing is copied, and what waits can still merge (AAEP §5.6, §8.8, R4, R9, R18).
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
 * Most events in one run: what a slow peer must take before anything critical can pass, and what is shaped and encoded before others have their
 * turn (R34).
 */
const BATCH_LIMIT = 32;
/** Most that is said in one run of what was before: each is made then. */
const NOTICE_LIMIT = 32;
const IDLE: Taken = { kind: "idle" };

/** The fourth part of a subscription. A class, because there is one for each subscription. */
export abstract class Pull extends Outlet {
  private blocked = false;
  // Units before this index arrived while the peer took nothing.
  private backlogEnd = 0;
  // At its end.
  private draining: Draining | undefined;

  protected next(now: Millis): Taken {
    const out = this.takeUrgent();
    const { viewCursor } = this;
    if (out.length === 0 && this.isShortCut()) {
      const { log } = viewCursor.view;
      if (viewCursor.cursor >= log.end()) return IDLE;
      const { batch, next } = log.batch(viewCursor.cursor, BATCH_LIMIT);
      if (log.lastCritical() >= viewCursor.cursor)
        for (const unit of log.from(viewCursor.cursor, next)) this.noteQuestion(unit);
      viewCursor.cursor = next;
      this.criticalSeen = next;
      this.budget.spend(now);
      return { kind: "batch", batch, isAll: next >= log.end() };
    }
    const isHeldBack = this.holdsBack();
    if (isHeldBack) this.takeCritical(out, now);
    if (!this.pace.paused && !this.isAsking()) this.takeLimited(out, now);
    // A run takes only so much: what is critical behind it may have to leave before the next one (R34).
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

  /** Whether an append to its view should wake it: false while it waits for budget, a pause or the transport. */
  protected isReady(now: Millis): boolean {
    return !this.blocked && !this.pace.paused && this.budget.availableAt() <= now;
  }

  protected setPace(next: Pace, now: Millis): void {
    if (this.pace.paused && !next.paused) this.pressureUntil = now;
    if (next.paceWpm === undefined) this.spokenAt = Number.NEGATIVE_INFINITY;
    this.pace = next;
  }

  /** Goes on at the end of its view: after new terms, or after falling behind; in the journal first, where there is a reader. */
  protected standAtEnd(reader: BacklogReader | undefined): void {
    const { view } = this.shared;
    if (view !== this.viewCursor.view) {
      this.criticalSeen = view.log.end();
      this.backlogEnd = 0;
    }
    this.viewCursor = { view, cursor: view.log.end() };
    this.backlog = reader;
  }

  /**
   * Takes what stands before `upTo` into its own queue, so that its view may let go of it. False: the queue is full, or something critical or unsaid
   * is in the way.
   */
  protected enqueue(upTo: number): boolean {
    // In the middle of a delivery nothing is told of sessions, and nothing is taken over ahead of that.
    if (this.pendingNoticeCount() > 0) return false;
    const end = Math.min(upTo, this.viewCursor.view.log.criticalFrom(this.criticalSeen)?.index ?? upTo);
    while (this.viewCursor.cursor < end)
      if (this.enqueueStretch() === undefined && this.enqueueOne(this.pace.limited) === "full") return false;
    return this.viewCursor.cursor >= upTo;
  }

  /** Text of this output below its floor is not delivered. */
  protected trim(output: string, floor: TextFloor): void {
    this.remember().raiseFloor(output, floor);
  }

  /** Of each output of this point everything below its position has been given, and nothing above. */
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

  /** The next of all that is owed, whatever the budget (R8a): a bounded part, by bounded work. From the first on it takes nothing else. */
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

  /** Epochs, outputs and agents remembered for what went ahead, was given before or is skipped. */
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

  /** Nothing but its place decides what it gets. */
  private isPlain(): boolean {
    const { pace } = this;
    return (
      !pace.limited &&
      !pace.paused &&
      pace.paceWpm === undefined &&
      this.backlog === undefined &&
      this.waiting() === 0 &&
      !this.isAsking() &&
      this.overtaking.length === 0
    );
  }

  /** Whether anything may be waiting that a critical event has to pass. Units of the current turn were never held for an idle subscription. */
  private holdsBack(): boolean {
    return !this.isPlain() || this.viewCursor.cursor < this.backlogEnd;
  }

  /** Units that arrived while the peer took nothing are only held back from critical ones; without any of those they leave as the others get them. */
  private isBacklogPlain(): boolean {
    const { viewCursor } = this;
    return viewCursor.cursor >= this.backlogEnd || viewCursor.view.log.criticalFrom(this.criticalSeen) === undefined;
  }

  private isShortCut(): boolean {
    return this.isPlain() && this.isBacklogPlain() && this.outOfOrder === undefined;
  }

  private nextWait(now: Millis): Taken {
    // Of all that it looked at there was nothing to say; the rest is looked at next.
    if (this.isAsking()) return { kind: "wait", until: now };
    if (this.pace.paused) return IDLE;
    if (this.pendingNoticeCount() > 0 && this.queue.size() === 0)
      return { kind: "wait", until: Math.max(now, this.budget.availableAt()) };
    const head = this.queue.head();
    const spoken = head?.kind === "text" ? this.spokenAt : Number.NEGATIVE_INFINITY;
    // A text that is not there yet cannot be waited for; anything else may leave at once.
    const until = Math.max(this.budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : IDLE;
  }

  private takeUrgent(): Delivery[] {
    const out: Delivery[] = [];
    // Except what goes ahead by itself in the same take.
    for (const unit of this.nextUrgent((epoch) => this.overtaking.some((one) => one.epoch === epoch))) {
      if (isCritical(unit)) {
        // A question that is asked at once is not asked again when its place in the backlog comes (R28).
        this.queue.remove((waiting) => isCritical(waiting) && waiting.epoch === unit.epoch && !isLocal(waiting));
        this.sendOvertaking(unit, out);
      } else this.give(unit, out);
    }
    return out;
  }

  /** Where it stands at the end of its view and holds nothing, nothing that went ahead can come again. */
  private forgetPassed(): void {
    const { view, cursor } = this.viewCursor;
    if (this.outOfOrder === undefined || this.backlog !== undefined || cursor < view.log.end()) return;
    if (this.isBehind(view)) return;
    this.isAheadFull = false;
    this.outOfOrder.forgetPassed((output) => view.texts.heldOffset(output) !== undefined, view.texts.held);
    if (this.outOfOrder.count() === 0) this.outOfOrder = undefined;
  }
}
