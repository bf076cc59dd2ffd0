// The units that one subscription has not been handed: those in its queue, where they merge, and behind them its source (R9, R10, R18).
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { IdServices } from "../event/derived-id.js";
import type { Epoch } from "../event/event.js";
import type { Hub } from "../hub/hub.js";
import type { SharedView } from "../hub/shared-view.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import type { Terms } from "../terms/terms.js";
import type { ReadTurns } from "../time/read-turns.js";
import { collapsedEvent } from "../views/merged-events.js";
import { RenderedEntry } from "../views/rendered-entry.js";
import { type EventUnit, isCritical, isLocal, type Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { Backlog, type BacklogOwner, type ReadFrom } from "./backlog.js";
import { createDeliveryCounts } from "./delivery-counts.js";
import { DeliveryQueue, type DeliveryQueueOwner } from "./delivery-queue.js";
import { Exceptions } from "./exceptions.js";
import { Source } from "./source.js";

export interface PendingServices {
  readonly hub: Hub;
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly readTurns: ReadTurns;
  readonly ids: IdServices;
  readonly now: () => Millis;
}

/** The subscription of pending units. */
export interface PendingOwner extends BacklogOwner {
  readonly terms: Terms;
  /** Most units in the queue. */
  readonly queueLimit: number;
  /** A unit of the source enters the queue, or leaves. */
  readonly coming: (unit: Unit) => void;
  /** A critical unit goes ahead of the queue. */
  readonly goesFirst: (unit: EventUnit) => void;
  /** Everything was read back. */
  readonly caughtUp: () => void;
}

export class Pending implements DeliveryQueueOwner {
  readonly counts = createDeliveryCounts();
  readonly queue = new DeliveryQueue(this);
  readonly source: Source;
  /** Present while something is not got again, or not at all. */
  exceptions: Exceptions | undefined;
  private readonly owner: PendingOwner;
  private readonly services: PendingServices;

  constructor(shared: SharedView, owner: PendingOwner, services: PendingServices) {
    this.source = new Source(shared);
    this.owner = owner;
    this.services = services;
  }

  get limit(): number {
    return this.owner.queueLimit;
  }

  get maxChars(): number {
    return this.owner.terms.maxChars;
  }

  get view(): View {
    return this.source.view;
  }

  get isEmpty(): boolean {
    return this.queue.size() === 0 && this.source.isAtEnd;
  }

  /** Number of published events that were not taken: units of the view, or events of the journal (an upper bound across restarts). */
  get untakenCount(): number {
    const { source, services } = this;
    if (source.backlog !== undefined) return services.steps.count(source.backlog.given, services.journal.head());
    return this.view.log.end - source.index;
  }

  /** Everything up to this epoch was handed over (R17). Undefined while a unit waits that is in no journal. */
  get given(): Epoch | undefined {
    const queued = this.queue.all();
    if (queued.some(isLocal)) return undefined;
    return Math.min(this.source.given, ...queued.map(({ firstEpoch }) => firstEpoch - 1));
  }

  /** Whether an event of the session before this epoch waits. */
  hasSession(session: string, before: Epoch): boolean {
    const isOf = (unit: Unit): boolean =>
      unit.session === session && unit.epoch < before && this.exceptions?.hasGoneAhead(unit.epoch) !== true;
    return this.queue.all().some(isOf) || this.view.log.from(this.source.index).some(isOf);
  }

  /** The next unit of the source in the form in which the subscription gets it; undefined if there is none at present. It counts as taken. */
  next(): Unit | undefined {
    for (let unit = this.peek(); unit !== undefined; unit = this.peek()) {
      this.source.advance();
      const admitted = this.exceptions === undefined ? unit : this.exceptions.admit(unit);
      if (admitted === undefined) continue;
      this.owner.coming(admitted);
      return admitted;
    }
    return undefined;
  }

  /** Moves the next unit into the queue; it merges if it was released before `mergeBefore`. Returns false if there is none, or no room. */
  enqueueNext(mergeBefore: Millis): boolean {
    if (this.queue.isFull()) return false;
    const unit = this.next();
    if (unit !== undefined) this.enqueue(unit, mergeBefore);
    return unit !== undefined;
  }

  /**
   * Takes the units that were released before `before`, behind which others may stand, so that they merge. Returns "resting" if the reader has to
   * wait for its turn and more may merge.
   */
  fill(before: Millis, mergeBefore: Millis): "done" | "resting" {
    const { source, queue } = this;
    let isMerging = false;
    for (let unit = this.peek(); unit !== undefined && !queue.isFull(); unit = this.peek()) {
      if (source.backlog === undefined && unit.at >= before && queue.size() === 0) return "done";
      isMerging = unit.at < mergeBefore;
      const isCutOff = isMerging && unit.kind === "text" ? this.enqueueStretch() : undefined;
      // The unit has reached its longest form. The rest of the text stays in the view, which shares it, and not in this queue.
      if (isCutOff === true) return "done";
      if (isCutOff === undefined) this.enqueueNext(mergeBefore);
    }
    return source.backlog?.isResting === true && (isMerging || mergeBefore === Number.POSITIVE_INFINITY)
      ? "resting"
      : "done";
  }

  /** Takes the units before `index` of the view into the queue. Returns false if they are more than it takes. */
  enqueueTo(index: number, mergeBefore: Millis): boolean {
    const { source } = this;
    while (source.index < index) {
      const isMerging = (this.view.log.at(source.index)?.at ?? 0) < mergeBefore;
      if (isMerging && source.index + 1 < index && this.enqueueStretch(index) !== undefined) continue;
      if (this.queue.isFull()) return false;
      const unit = this.view.log.at(source.index);
      source.advance();
      const admitted = unit === undefined || this.exceptions === undefined ? unit : this.exceptions.admit(unit);
      if (admitted === undefined) continue;
      this.owner.coming(admitted);
      this.enqueue(admitted, mergeBefore);
    }
    return true;
  }

  /** Reads on from the journal, behind the units of the queue. */
  fallBehind(shared = this.source.shared): void {
    const { source } = this;
    const releasedTo = this.view.log.at(source.index)?.releasedAt ?? this.view.epoch;
    const end = source.endOfGroup();
    for (const unit of this.view.log.from(source.index, end)) {
      if (!isCritical(unit)) this.putAll([unit]);
      else if (this.exceptions?.hasGoneAhead(unit.epoch) !== true) this.owner.goesFirst(unit);
    }
    source.moveTo(end);
    const { from, owed } = source.readFrom(releasedTo);
    for (const { output, position } of owed) this.remember().raiseFloor(output, position);
    source.follow(shared);
    this.readFrom(from);
  }

  /** Follows another view: what waits gets the new form when it leaves, and text goes on at its position (R32). */
  changeView(shared: SharedView): void {
    const { source, queue, view: before } = this;
    const queued = queue.remove(() => true);
    const { backlog } = source;
    const released = [...(backlog?.released ?? before.log.from(source.index)), ...(backlog?.heldUnits() ?? [])];
    // More than the queue takes is read from the journal.
    const isMuch = backlog === undefined && released.length + queued.length > this.limit;
    shared.view.noteTimestamps(backlog?.view ?? before);
    if (isMuch) this.fallBehind(shared);
    else source.follow(shared);
    const isBehind = queue.remove(() => true);
    for (const unit of [...queued, ...isBehind]) this.put(unit);
    if (isMuch) return;
    this.putAll(released);
    if (backlog === undefined) this.settleText(before, shared.view);
    else this.readFrom(backlog.rest);
  }

  /** Goes to the head of the view; only what `isKept` still waits (R26). */
  skipTo(isKept: (unit: Unit) => boolean, more: readonly EventUnit[]): void {
    const { source, queue } = this;
    const released = source.backlog?.released ?? this.view.log.from(source.index);
    queue.remove((unit) => !isKept(unit));
    this.putAll([...released, ...more].filter((unit) => isKept(unit) && !queue.all().includes(unit)));
    source.follow(source.shared);
    source.followsSince = this.services.now();
    for (const { output, endPosition } of this.view.texts.held()) this.remember().raiseFloor(output, endPosition);
  }

  /** Of the output only an empty end follows (R26). */
  skip(output: string): void {
    const exceptions = this.remember();
    exceptions.skip(output);
    this.queue.replace((unit) => (unit.kind === "text" && unit.output === output ? exceptions.admit(unit) : unit));
  }

  /** Reads everything behind an epoch. */
  readBack(after: Epoch): void {
    this.readFrom({ after, givenTo: after, texts: new Map(), sent: new Map() });
  }

  private readFrom(from: ReadFrom): void {
    const { hub, journal, readTurns } = this.services;
    const terms = hub.viewTerms(this.owner.terms);
    this.source.followsSince = Number.POSITIVE_INFINITY;
    this.source.backlog = new Backlog(from, terms, this.owner, hub, journal, readTurns);
  }

  remember(): Exceptions {
    this.exceptions ??= new Exceptions();
    return this.exceptions;
  }

  /** Forgets what was remembered for units that have been taken. */
  forgetTaken(): void {
    if (this.exceptions === undefined || !this.isEmpty) return;
    this.exceptions.forgetTaken((output) => this.view.texts.heldOffset(output) !== undefined);
    if (this.exceptions.isEmpty) this.exceptions = undefined;
  }

  collapseStates(first: EventUnit, last: EventUnit): EventUnit {
    const event = collapsedEvent(first, last, this.view.terms, this.services.ids);
    const rendered = new RenderedEntry({ ...last.rendered.entry, event, source: undefined });
    const isLoud = first.role === "state" || last.role === "state";
    return { ...last, firstEpoch: first.firstEpoch, role: isLoud ? "state" : "background-state", rendered };
  }

  /** The next unit of the source. A reader that stands at the head makes room for the view. */
  private peek(): Unit | undefined {
    const unit = this.source.peek();
    const { backlog, shared } = this.source;
    if (unit !== undefined || backlog?.isAtHead !== true) return unit;
    shared.view.noteTimestamps(backlog.view);
    this.settleText(backlog.view, shared.view);
    this.source.follow(shared);
    this.source.followsSince = this.services.now();
    this.owner.caughtUp();
    return undefined;
  }

  private enqueue(unit: Unit, mergeBefore: Millis): void {
    if (!this.queue.offer(unit, unit.at < mergeBefore)) this.queue.put(unit);
  }

  private putAll(units: readonly Unit[]): void {
    for (const unit of units) {
      const admitted = this.exceptions === undefined ? unit : this.exceptions.admit(unit);
      if (admitted === undefined) continue;
      this.owner.coming(admitted);
      this.put(admitted);
    }
  }

  /** Takes a unit into the queue, as far as the terms want it and in pieces as long as they allow. */
  private put(unit: Unit): void {
    if (unit.kind === "event") this.queue.put(unit);
    else if (this.view.terms.wants({ kind: "output.streaming", event: unit.base }))
      for (const piece of this.view.fitting(unit)) this.queue.put(piece);
  }

  /**
   * Takes the next texts as one unit, which the view makes once for all subscriptions that waited equally long. Returns whether more of the text
   * follows that cannot join; undefined if there is no such unit.
   */
  private enqueueStretch(before = Number.POSITIVE_INFINITY): boolean | undefined {
    const { source, queue } = this;
    if (source.backlog !== undefined || queue.size() > 0 || this.exceptions?.concernsText === true) return undefined;
    const stretch = this.view.log.stretchFrom(source.index);
    if (stretch === undefined || stretch.next > before) return undefined;
    this.owner.coming(stretch.unit);
    queue.put(stretch.unit);
    this.counts.merged += stretch.next - source.index - 1;
    source.index = stretch.next;
    return stretch.isCutOff;
  }

  /** Settles what two views hold differently: text that only the first one holds is released, text that was released before is not given again. */
  private settleText(from: View, to: View): void {
    const begins = new Map(to.texts.held().map(({ output, position }) => [output, position]));
    const ends = new Map(to.texts.held().map(({ output, endPosition }) => [output, endPosition]));
    for (const { output, position, endPosition } of from.texts.held()) {
      const begin = begins.get(output) ?? endPosition;
      if (begin > position) this.putAll(from.texts.unitsUpTo(output, begin, this.services.now()));
      if (begin < position) this.remember().raiseFloor(output, position);
      ends.delete(output);
    }
    for (const [output, end] of ends) this.remember().raiseFloor(output, end);
  }
}
