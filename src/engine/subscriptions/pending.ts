// Everything that one subscription is owed and has not been handed: events that leave first, sums and losses, the queue, in which waiting units
// merge, and behind it the units of its view, or of the journal while it reads back (R9, R10, R17, R18). README.md has a table of the places.
import type { Millis } from "../../contracts/clock.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import type { Loss } from "../notices/notice-factory.js";
import type { Terms } from "../terms/terms.js";
import { collapsedEvent } from "../views/merged-events.js";
import { type EventUnit, eventUnit, isCriticalUnit, isLocal, RenderedEntry, type Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import { Backlog, type ReadFrom, restOfView } from "./backlog.js";
import { Briefing } from "./briefing.js";
import { DeliveryQueue, type DeliveryQueueOwner } from "./delivery-queue.js";
import { Exceptions } from "./exceptions.js";
import type { Listener } from "./listener.js";
import type { SubscriptionServices } from "./subscription-services.js";
import { createDeliveryCounts, type RunningCounts } from "./subscription-spec.js";

/** The subscription of pending units. */
export interface PendingOwner {
  readonly terms: Terms;
  readonly listener: Listener;
  readonly wake: () => void;
}

/** An event that leaves before all others, at once and outside the budget. */
interface First {
  readonly kind: "critical" | "question" | "notice" | "repeat";
  readonly entry: JournaledEvent;
}

const ALWAYS = Number.POSITIVE_INFINITY;

export class Pending implements DeliveryQueueOwner {
  readonly counts: RunningCounts = createDeliveryCounts();
  readonly first: First[] = [];
  readonly queue = new DeliveryQueue(this);
  /** Present while something is not got again, or not at all. */
  exceptions: Exceptions | undefined;
  /** Present while sums or a loss are owed. */
  briefing: Briefing | undefined;
  shared: SharedView;
  view: View;
  /** Index in the view of the next unit. */
  index: number;
  /** The reader; undefined while the subscription follows its view. */
  backlog: Backlog | undefined;
  /** When the view was last begun to be followed; in the future while the journal is read. */
  followsSince: Millis = Number.NEGATIVE_INFINITY;
  /** Critical units of the view before this index were looked at. */
  criticalFrom: number;
  private readonly owner: PendingOwner;
  private readonly services: SubscriptionServices;

  constructor(shared: SharedView, owner: PendingOwner, services: SubscriptionServices) {
    this.shared = shared;
    this.view = shared.view;
    this.index = shared.view.log.end;
    this.criticalFrom = this.index;
    this.owner = owner;
    this.services = services;
  }

  get limit(): number {
    return this.services.limits.queueLimitCount;
  }

  get maxChars(): number {
    return this.owner.terms.maxChars;
  }

  /** Whether the subscription follows its view and has taken all units. */
  get isAtEnd(): boolean {
    return this.backlog === undefined && this.index >= this.view.log.end;
  }

  get isEmpty(): boolean {
    return this.queue.entries.length === 0 && this.isAtEnd;
  }

  /** Whether a sum or a loss is owed. */
  get isBriefing(): boolean {
    if (this.briefing?.isDone === true) this.briefing = undefined;
    return this.briefing !== undefined;
  }

  /** Whether nothing waits but the text that the view holds. */
  get hasTakenAll(): boolean {
    return this.exceptions === undefined && this.first.length === 0 && !this.isBriefing && this.isEmpty;
  }

  /** Number of published events that were not taken: units of the view, or events of the journal (an upper bound across restarts). */
  get untakenCount(): number {
    const { backlog, services, view, index } = this;
    return backlog === undefined ? view.log.end - index : services.steps.count(backlog.given, services.journal.head());
  }

  /** Everything up to this epoch was handed over (R17). Undefined while something is owed that is in no journal. */
  get given(): Epoch | undefined {
    const queued = this.queue.all();
    if (this.first.length > 0 || this.isBriefing || queued.some(isLocal)) return undefined;
    const waiting = this.backlog === undefined ? [...queued, ...this.view.log.from(this.index)] : queued;
    return Math.min((this.backlog ?? this.view).given, ...waiting.map(({ firstEpoch }) => firstEpoch - 1));
  }

  /** Whether an event of the session before this epoch waits. */
  hasSession(session: string, before: Epoch): boolean {
    return this.hasWaiting((one) => one.session === session && one.epoch < before && !this.hasGoneAhead(one.epoch));
  }

  private hasWaiting(isOf: (unit: Unit) => boolean): boolean {
    return this.queue.all().some(isOf) || this.view.log.from(this.index).some(isOf);
  }

  hasGoneAhead(epoch: Epoch): boolean {
    return this.exceptions?.hasGoneAhead(epoch) === true;
  }

  remember(): Exceptions {
    this.exceptions ??= new Exceptions();
    return this.exceptions;
  }

  /** Forgets what was remembered for units that have been taken. */
  forgetTaken(): void {
    if (this.exceptions === undefined || !this.isEmpty) return;
    this.exceptions.forgetTaken((output) => this.view.texts.heldOffset(output) !== undefined);
    if (this.exceptions.size === 0) this.exceptions = undefined;
  }

  // Sums, losses, and critical events.

  /** Owes a sum of each open session, and the loss with the first of them. */
  owe(loss: Loss | undefined): void {
    this.briefing ??= new Briefing(this.services);
    this.briefing.owe(loss);
  }

  /** The next critical unit of the view that was not looked at, and neither taken in its place nor ahead of it. */
  nextCritical(): { readonly index: number; readonly unit: EventUnit } | undefined {
    const { backlog, view } = this;
    const from = backlog === undefined ? Math.max(this.criticalFrom, this.index) : this.criticalFrom;
    let critical = view.log.criticalFrom(from);
    // A reader takes those in their place that it reached before they could go ahead.
    const isTaken = ({ epoch }: Unit): boolean => epoch <= (backlog?.readTo ?? 0) || this.hasGoneAhead(epoch);
    while (critical !== undefined && isTaken(critical.unit)) critical = view.log.criticalFrom(critical.index + 1);
    if (critical !== undefined) this.criticalFrom = critical.index;
    return critical;
  }

  /** The critical unit at this index goes ahead of those before it. Returns false if too many did: it then keeps its place (R18). */
  goAhead(index: number, { epoch }: Unit): boolean {
    if (this.exceptions?.isFull === true) return false;
    this.criticalFrom = index + 1;
    this.remember().wentAhead(epoch);
    return true;
  }

  /** All units of the view before `index` were taken, critical ones too. */
  moveTo(index: number): void {
    this.index = index;
    this.criticalFrom = Math.max(this.criticalFrom, index);
  }

  // The ways of units: from the source, directly or through the queue.

  /** The next unit of the source in the form in which the subscription gets it; undefined if there is none at present. It counts as taken. */
  next(): Unit | undefined {
    for (let unit = this.peek(); unit !== undefined; unit = this.peek()) {
      const admitted = this.take(unit);
      if (admitted !== undefined) return admitted;
    }
    return undefined;
  }

  /** Takes the next unit of the source into the queue, to merge there. Returns false if there is none, or no room. */
  fillOne(): boolean {
    const unit = this.queue.isFull() ? undefined : this.peek();
    if (unit !== undefined) this.enqueue(unit, true);
    return unit !== undefined;
  }

  /**
   * Takes the units into the queue that were released before `before`, behind which others may stand; those merge that were released before
   * `mergeBefore`. Returns "resting" if the reader has to wait for its turn and more may merge.
   */
  fill(before: Millis, mergeBefore: Millis): "done" | "resting" {
    let merges = mergeBefore === ALWAYS;
    for (let unit = this.peek(); unit !== undefined && !this.queue.isFull(); unit = this.peek()) {
      if (this.backlog === undefined && unit.at >= before && this.queue.entries.length === 0) return "done";
      merges = unit.at < mergeBefore;
      // The text has reached its longest form. Its rest stays in the view, which shares it, and not in this queue.
      if (this.enqueue(unit, merges) === "cut off") return "done";
    }
    return this.backlog?.isResting === true && merges ? "resting" : "done";
  }

  /** Takes the units before `index` of the view into the queue. Returns false if they are more than it takes. */
  fillTo(index: number, mergeBefore: Millis): boolean {
    for (let unit = this.view.log.at(this.index); unit !== undefined && this.index < index; ) {
      if (this.queue.isFull()) return false;
      this.enqueue(unit, unit.at < mergeBefore, index);
      unit = this.view.log.at(this.index);
    }
    return true;
  }

  /** The next unit of the source. A reader that stands at the head makes room for the view. */
  private peek(): Unit | undefined {
    const { backlog, shared } = this;
    if (backlog === undefined) return this.view.log.at(this.index);
    const unit = backlog.peek();
    if (unit !== undefined || !backlog.isAtHead) return unit;
    shared.view.noteTimestamps(backlog.view);
    this.settleText(backlog.view, shared.view);
    this.follow(shared);
    return undefined;
  }

  private take(unit: Unit): Unit | undefined {
    if (this.backlog === undefined) this.index += 1;
    else this.backlog.advance();
    return this.admit(unit);
  }

  /** The form in which the subscription gets a unit; undefined if it does not get it. A session of which an event comes needs no sum. */
  private admit(unit: Unit): Unit | undefined {
    const admitted = this.exceptions === undefined ? unit : this.exceptions.admit(unit);
    if (admitted !== undefined && !isLocal(admitted)) this.briefing?.drop(admitted.session);
    return admitted;
  }

  /**
   * Takes the next unit of the source into the queue. Texts that merge are taken as one, which the view makes once for all subscriptions that waited
   * equally long. Returns "cut off" if more of such a text follows that cannot join.
   */
  private enqueue(unit: Unit, merges: boolean, before = ALWAYS): "cut off" | undefined {
    const { queue, view, index } = this;
    const isAlone = this.backlog === undefined && queue.entries.length === 0 && this.exceptions?.concernsText !== true;
    const stretch = merges && isAlone ? view.log.stretchFrom(index) : undefined;
    if (stretch === undefined || stretch.next > before) {
      const admitted = this.take(unit);
      if (admitted !== undefined) queue.put(admitted, merges);
      return undefined;
    }
    this.briefing?.drop(stretch.unit.session);
    queue.put(stretch.unit);
    this.counts.merged += stretch.next - index - 1;
    this.index = stretch.next;
    return stretch.isCutOff ? "cut off" : undefined;
  }

  /** Takes units into the queue that are not the next of the source, as far as the terms want them and in pieces as long as they allow. */
  private put(units: readonly Unit[]): void {
    const { queue, view } = this;
    for (const unit of units) {
      if (unit.kind === "event") queue.put(unit);
      else if (view.terms.wants({ kind: "output.streaming", event: unit.base }))
        for (const piece of view.fitting(unit)) queue.put(piece);
    }
  }

  private putAdmitted(units: readonly Unit[]): void {
    this.put(units.flatMap((unit) => this.admit(unit) ?? []));
  }

  // Other sources.

  /** Follows the view from its end on. */
  private follow(shared: SharedView): void {
    this.backlog?.close();
    this.backlog = undefined;
    if (shared !== this.shared) this.criticalFrom = shared.view.log.end;
    this.shared = shared;
    this.view = shared.view;
    this.index = shared.view.log.end;
    this.followsSince = this.services.now();
  }

  /** Reads on from the journal, behind the units of the queue. */
  fallBehind(shared = this.shared): void {
    const { log } = this.view;
    // The journal has no place within units that were released together, so the reader begins behind them.
    const releasedTo = log.at(this.index)?.releasedAt ?? this.view.epoch;
    let end = this.index;
    while (log.at(end)?.releasedAt === releasedTo) end += 1;
    const group = log.from(this.index, end);
    for (const unit of group)
      if (!isCriticalUnit(unit)) this.putAdmitted([unit]);
      else if (!this.hasGoneAhead(unit.epoch)) this.first.push({ kind: "critical", entry: unit.rendered.entry });
    this.moveTo(end);
    const { from, owed } = restOfView(this.view, end, releasedTo, group);
    for (const { output, position } of owed) this.remember().raiseFloor(output, position);
    this.follow(shared);
    this.read(from);
  }

  /** Reads everything behind an epoch. */
  readBack(after: Epoch): void {
    this.read({ after, givenTo: after, texts: new Map(), sent: new Map() });
  }

  private read(from: ReadFrom): void {
    const { hub, journal, readTurns, steps } = this.services;
    const { listener, terms } = this.owner;
    const wake = (): void => this.owner.wake();
    this.followsSince = ALWAYS;
    const agedOut = (after: Epoch, oldest: Epoch): void => {
      const eventCount = steps.count(after, oldest - 1);
      if (eventCount > 0) this.owe({ reason: "aged_out", eventCount });
    };
    this.backlog = new Backlog(from, hub.viewTerms(terms), { listener, wake, agedOut }, hub, journal, readTurns);
  }

  /** Follows another view: what waits gets the new form when it leaves, and text goes on at its position (R32). */
  changeView(shared: SharedView): void {
    const { queue, view: before, backlog } = this;
    this.bringForward(() => true);
    const queued = queue.remove(() => true);
    const released = [...(backlog?.released ?? before.log.from(this.index)), ...(backlog?.heldUnits() ?? [])];
    const exceedsQueue = backlog === undefined && released.length + queued.length > this.limit;
    shared.view.noteTimestamps(backlog?.view ?? before);
    if (exceedsQueue) this.fallBehind(shared);
    else this.follow(shared);
    this.put([...queued, ...queue.remove(() => true)]);
    if (!exceedsQueue) {
      this.putAdmitted(released);
      if (backlog === undefined) this.settleText(before, shared.view);
      else this.read(backlog.rest);
    }
  }

  /** Goes on as a newcomer at the head (R26). Only what `isKept` still waits: of a reader's, also the ends that it has not reached. */
  skipAll(isKept: (unit: Unit) => boolean): void {
    const { backlog, view, queue } = this;
    const unread = backlog === undefined ? [] : this.endsAfter(backlog.rest.givenTo);
    if (backlog !== undefined) this.bringForward(isKept);
    const released = backlog?.released ?? view.log.from(this.index);
    queue.remove((unit) => !isKept(unit));
    this.putAdmitted([...released, ...unread].filter(isKept));
    this.follow(this.shared);
    for (const { output, endPosition } of view.texts.held()) this.remember().raiseFloor(output, endPosition);
    this.owe(undefined);
  }

  /** Of the output only an empty end follows (R26). */
  skip(output: string, isOpen: boolean): void {
    const isOf = (unit: Unit): boolean => unit.kind === "text" && unit.output === output;
    if (!isOpen && this.backlog === undefined && !this.hasWaiting(isOf)) return;
    const exceptions = this.remember();
    exceptions.skip(output);
    this.queue.replace((unit) => (isOf(unit) ? exceptions.admit(unit) : unit));
  }

  collapseStates(first: EventUnit, last: EventUnit): EventUnit {
    const event = collapsedEvent(first, last, this.view.terms, this.services.ids);
    const rendered = new RenderedEntry({ ...last.rendered.entry, event, source: undefined });
    const isLoud = first.role === "state" || last.role === "state";
    return { ...last, firstEpoch: first.firstEpoch, role: isLoud ? "state" : "background-state", rendered };
  }

  /** Puts critical units of the view first that did not leave. */
  private bringForward(isChosen: (unit: Unit) => boolean): void {
    for (let next = this.nextCritical(); next !== undefined; next = this.nextCritical()) {
      const { index, unit } = next;
      this.criticalFrom = index + 1;
      if (!isChosen(unit)) continue;
      this.first.push({ kind: "critical", entry: unit.rendered.entry });
      this.remember().wentAhead(unit.epoch);
    }
  }

  /** The ends of sessions behind an epoch that are still owed. */
  private endsAfter(epoch: Epoch): readonly EventUnit[] {
    const { hub, sessions } = this.services;
    return sessions.ended
      .terminals()
      .filter((end) => end.epoch > epoch && this.view.terms.wants(end) && !this.hasGoneAhead(end.epoch))
      .map((end) => eventUnit(hub.renderedOf(end)));
  }

  /** Settles what two views hold differently: text that only the first one holds is released, text that was released before is not given again. */
  private settleText(from: View, to: View): void {
    const begins = new Map(to.texts.held().map(({ output, position }) => [output, position]));
    const ends = new Map(to.texts.held().map(({ output, endPosition }) => [output, endPosition]));
    for (const { output, position, endPosition } of from.texts.held()) {
      const begin = begins.get(output) ?? endPosition;
      if (begin > position) this.putAdmitted(from.texts.unitsUpTo(output, begin, this.services.now()));
      if (begin < position) this.remember().raiseFloor(output, position);
      ends.delete(output);
    }
    for (const [output, end] of ends) this.remember().raiseFloor(output, end);
  }
}
