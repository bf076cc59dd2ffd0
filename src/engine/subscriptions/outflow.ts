// The outflow of a subscription: what is owed at once, then critical events, then the rest within its budget (R4, R9, R10, R17).
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import type { Terms } from "../terms/terms.js";
import { wordCount } from "../text/word-count.js";
import { batchOf, type Delivery } from "../views/delivery.js";
import { type EventUnit, eventUnit, isLocal, type Unit } from "../views/unit.js";
import type { BriefedSessions } from "./briefing.js";
import type { Listener } from "./listener.js";
import { Pending, type PendingOwner, type PendingServices } from "./pending.js";
import { RateBudget } from "./rate-budget.js";
import type { SubscriptionStart } from "./resume.js";
import type { Drained, Taken } from "./taken.js";
import { isKeptBySkip, Telling, type TellingServices } from "./telling.js";

export interface OutflowServices extends PendingServices, TellingServices {
  readonly sessions: BriefedSessions & {
    /** The last events of remembered sessions that ended after an epoch. */
    readonly endsAfter: (epoch: Epoch) => readonly JournaledEvent[];
  };
  /** Read again for each use. */
  readonly limits: {
    /** Events that may leave at once after a pause. */
    readonly burst: number;
    /** Most units in a subscription's queue. Default 256. */
    readonly queueLimitCount: number;
    readonly maxHoldMs: Millis;
  };
}

/** The subscription that the units leave. */
export interface OutflowOwner {
  readonly terms: Terms;
  readonly listener: Listener;
  readonly wake: () => void;
  readonly caughtUp: () => void;
}

/** An event that leaves before all others, at once and outside the budget. */
interface First {
  readonly kind: "critical" | "question" | "notice" | "again";
  readonly entry: JournaledEvent;
}

/** Most units of one batch: a slow peer has to take a batch before anything critical can pass (R34). */
const BATCH_LIMIT = 32;
/** Most events that are flushed before a critical event (R4). */
const FLUSH_LIMIT = 4;
/** Most events of a part of the end, and most units looked at for one. A small part loses little if the peer does not take it in time. */
const PART_LIMIT = 64;
/** Most events that wait to be sent again. */
const MOST_AGAIN = 256;
const STEP_LIMIT = 256;
const IDLE: Taken = { kind: "idle" };
const LONG_AGO = Number.NEGATIVE_INFINITY;
const ALWAYS = Number.POSITIVE_INFINITY;

export class Outflow implements PendingOwner {
  readonly pending: Pending;
  readonly wake: () => void;
  readonly caughtUp: () => void;
  terms: Terms;
  /** Whether the terms may hold units back: by a rate, a pace or a pause. */
  isHeldByTerms: boolean;
  private readonly owner: OutflowOwner;
  private readonly services: OutflowServices;
  private readonly budget: RateBudget;
  private readonly telling: Telling;
  private readonly first: First[] = [];
  // Units that were released before this instant waited for a pause, and merge (R10, R26).
  private pausedUntil = LONG_AGO;
  // The instant at which the last text will have been spoken. Units that arrive earlier wait for it, and merge (R15).
  private spokenAt = LONG_AGO;
  // Units before this index arrived while the peer took nothing.
  private blockedTo = 0;
  // The last units are leaving, whatever the terms: they are merging, or being handed over.
  private ending: "merging" | "emptying" | undefined;

  constructor(shared: SharedView, owner: OutflowOwner, services: OutflowServices) {
    this.owner = owner;
    this.services = services;
    this.wake = () => owner.wake();
    this.caughtUp = () => owner.caughtUp();
    this.terms = owner.terms;
    this.isHeldByTerms = holdsBack(owner.terms);
    this.budget = new RateBudget(owner.terms.maxEventsPerSecond, services.limits.burst, services.now());
    this.pending = new Pending(shared, this, services);
    this.telling = new Telling(this.pending, owner, services);
  }

  get queueLimit(): number {
    return this.services.limits.queueLimitCount;
  }

  /** Units in the queue, and sums that are owed. */
  get waitingCount(): number {
    return this.pending.queue.size() + this.telling.sumCount;
  }

  /** Epochs, outputs and agents that are remembered because of what left out of order, and what is to leave first. */
  get rememberedCount(): number {
    return (this.pending.exceptions?.size ?? 0) + this.first.length;
  }

  /** Everything up to this epoch was handed over (R17). Undefined while something is owed that is in no journal. */
  get given(): Epoch | undefined {
    return this.first.length > 0 || this.telling.isOwing ? undefined : this.pending.given;
  }

  /** Whether the only text that waits is the text that the view holds. */
  get isLevel(): boolean {
    const { pending } = this;
    return pending.exceptions === undefined && this.first.length === 0 && !this.telling.isOwing && pending.isEmpty;
  }

  /** Whether the next unit of the view could leave at once. */
  isReady(now: Millis): boolean {
    return !this.terms.paused && this.budget.availableAt() <= now;
  }

  begin({ resumed, readAfter, loss }: SubscriptionStart): void {
    if (readAfter !== undefined) this.pending.readBack(readAfter);
    if (resumed !== "all") this.telling.owe(loss);
    this.askOpenQuestions(resumed !== "all");
  }

  /** Lets the next take begin with the open questions that were not put; with `tells`, also with notices of those that it cannot answer (R6). */
  askOpenQuestions(tells = true): void {
    const { toPut, toTell } = this.owner.listener.untold();
    const known = new Set(this.first.map(({ entry }) => entry.epoch));
    for (const entry of toPut) if (!known.has(entry.epoch)) this.sendFirst({ kind: "question", entry });
    if (tells) for (const entry of toTell) if (!known.has(entry.epoch)) this.sendFirst({ kind: "notice", entry });
  }

  /** Sends an event again, at once (R28). Throws "rate_limit" if too many wait to be sent again. */
  again(entry: JournaledEvent): void {
    const waiting = this.first.filter(({ kind }) => kind === "again");
    if (waiting.some(({ entry: { epoch } }) => epoch === entry.epoch)) return;
    if (waiting.length >= MOST_AGAIN) {
      const sentence = `Take the ${MOST_AGAIN} events first that are to come again.`;
      throw new Fault("rate_limit", sentence, { pointer: "/event_id", rule: "R34" });
    }
    this.sendFirst({ kind: "again", entry });
  }

  /** The units that may leave now. */
  take(now: Millis): Taken {
    if (this.isPlain()) return this.takeShared(now);
    const out: Delivery[] = [];
    this.takeFirst(out, now);
    this.takeCriticals(out, now);
    if (!this.terms.paused && this.first.length === 0) this.takeOthers(out, now);
    this.pending.forgetTaken();
    return out.length > 0 ? { kind: "batch", batch: batchOf(out), isAll: false } : this.nextWait(now);
  }

  /** The critical units that may leave now. */
  takeCritical(now: Millis): Taken {
    const out: Delivery[] = [];
    this.takeFirst(out, now);
    this.takeCriticals(out, now);
    return out.length > 0 ? { kind: "batch", batch: batchOf(out), isAll: false } : IDLE;
  }

  /** The next part of all pending units, whatever the budget (R8a). After the first part, `take` is not called any more. */
  drain(now: Millis): Drained {
    const { queue, source } = this.pending;
    const out: Delivery[] = [];
    this.ending ??= "merging";
    source.backlog?.hurry();
    this.takeFirst(out, now);
    for (let step = 0; step < STEP_LIMIT && out.length < PART_LIMIT; step += 1) {
      if (this.ending === "merging" && this.pending.enqueueNext(ALWAYS)) continue;
      const unit = queue.shift() ?? (source.isAtEnd ? this.telling.next() : undefined);
      if (unit !== undefined) this.send(unit, out, now);
      this.ending = queue.size() > 0 ? "emptying" : "merging";
      if (unit === undefined) break;
    }
    if (out.length > 0) return { kind: "batch", batch: batchOf(out) };
    const isDone = this.first.length === 0 && !this.telling.isOwing && this.pending.isEmpty;
    return { kind: isDone ? "done" : "later" };
  }

  /** The peer takes again. */
  unblocked(): void {
    this.blockedTo = this.pending.view.log.end;
  }

  /** Takes note of terms that follow others (AAEP §5.7.2). `shared`: their view. */
  retuned(former: Terms, shared: SharedView, now: Millis): void {
    const { pending } = this;
    const { terms } = this.owner;
    this.terms = terms;
    this.isHeldByTerms = holdsBack(terms);
    this.budget.retune(terms.maxEventsPerSecond, now);
    if (former.paused && !terms.paused) this.pausedUntil = now;
    if (terms.paceWpm === undefined) this.spokenAt = LONG_AGO;
    if (shared === pending.source.shared) return;
    this.bringForward(() => true);
    pending.changeView(shared);
    this.askOpenQuestions();
  }

  /** Goes on as a newcomer at the head (R26). The ends of sessions, losses and resolutions that wait still go out. */
  skipAll(): void {
    const { pending, services } = this;
    const { backlog } = pending.source;
    const { terms } = pending.view;
    const ends = backlog === undefined ? [] : services.sessions.endsAfter(backlog.rest.givenTo);
    const isOwed = (entry: JournaledEvent): boolean =>
      terms.wants(entry) && pending.exceptions?.hasGoneAhead(entry.epoch) !== true;
    const more = ends.filter(isOwed).map((entry) => eventUnit(services.hub.renderedOf(entry)));
    if (backlog !== undefined) this.bringForward(isKeptBySkip);
    pending.skipTo(isKeptBySkip, more);
    this.telling.owe(undefined);
    this.askOpenQuestions();
  }

  /** Takes the units before `index` of the view, so that it may drop them. Returns false if the subscription has to read them from the journal. */
  enqueueTo(index: number): boolean {
    if (this.pending.source.hasCritical()) return false;
    return this.pending.enqueueTo(index, this.mergeBefore());
  }

  asBacklog(entry: JournaledEvent): JournaledEvent | undefined {
    return this.owner.listener.asBacklog(entry);
  }

  agedOut(after: Epoch, oldest: Epoch): void {
    const eventCount = this.services.steps.count(after, oldest - 1);
    if (eventCount === 0) return;
    this.telling.owe({ reason: "aged_out", eventCount });
    // It is told where it happened; how sessions stand, at the head.
    const loss = this.telling.next();
    if (loss !== undefined) this.pending.queue.put(loss);
  }

  /** A session of which an event comes needs no sum. */
  coming(unit: Unit): void {
    if (!isLocal(unit)) this.telling.drop(unit.session);
  }

  goesFirst({ rendered: { entry } }: EventUnit): void {
    this.sendFirst({ kind: "critical", entry });
  }

  /** Lets critical units of the view that did not leave go first. */
  private bringForward(isChosen: (unit: Unit) => boolean): void {
    const { pending } = this;
    const { source } = pending;
    for (let next = source.nextCritical(); next !== undefined; next = source.nextCritical()) {
      if (!isChosen(next.unit) || pending.exceptions?.hasGoneAhead(next.unit.epoch) === true) continue;
      this.goesFirst(next.unit);
      pending.remember().wentAhead(next.unit.epoch);
    }
  }

  private sendFirst(first: First): void {
    this.first.push(first);
  }

  /** Whether nothing but its place in the view decides what the subscription gets next. */
  private isPlain(): boolean {
    const { pending } = this;
    const { source, queue } = pending;
    if (this.isHeldByTerms || source.backlog !== undefined || queue.size() > 0 || this.first.length > 0) return false;
    if (this.telling.isOwing || pending.exceptions !== undefined) return false;
    if (this.pausedUntil > LONG_AGO && (source.peek()?.at ?? ALWAYS) < this.pausedUntil) return false;
    // Units that came while the peer took nothing are held back only from critical ones.
    return source.index >= this.blockedTo || !source.hasCritical();
  }

  private takeShared(now: Millis): Taken {
    const { source } = this.pending;
    const { log } = source.view;
    const shared = log.batch(source.index);
    if (shared === undefined) return IDLE;
    if (source.hasCritical()) for (const unit of log.from(source.index, shared.next)) this.telling.noteTold(unit);
    source.moveTo(shared.next);
    this.budget.spend(now);
    return { kind: "batch", batch: shared.batch, isAll: shared.isLast };
  }

  private takeFirst(out: Delivery[], now: Millis): void {
    const { listener } = this.owner;
    const { hub } = this.services;
    const { source, view } = this.pending;
    for (const { kind, entry } of this.first.splice(0, BATCH_LIMIT)) {
      const unit = kind === "notice" ? this.telling.lateNotice(entry) : eventUnit(hub.renderedOf(entry));
      if (unit === undefined) continue;
      if (kind === "notice") this.telling.give(unit, out);
      else if (kind === "again") {
        if (!unit.rendered.isQuestion || listener.canAnswer(entry)) out.push(view.deliveryOf(unit));
      } else if (kind === "question" ? listener.isToPut(entry) : view.terms.wants(entry))
        this.sendCritical(unit, source.backlog === undefined, out, now);
    }
  }

  /** Takes critical events first, past queue, budget and pause, in the order of the journal (R4). */
  private takeCriticals(out: Delivery[], now: Millis): void {
    const { pending } = this;
    const { source } = pending;
    while (out.length < BATCH_LIMIT) {
      const next = source.nextCritical();
      if (next === undefined) return;
      const { index, unit } = next;
      if (pending.exceptions?.hasGoneAhead(unit.epoch) === true) continue;
      const isReached = source.backlog === undefined && pending.enqueueTo(index, this.mergeBefore());
      if (isReached) source.moveTo(index + 1);
      // At the limit of what is remembered, it keeps its place.
      else if (pending.exceptions?.isFull === true) continue;
      else pending.remember().wentAhead(unit.epoch);
      this.sendCritical(unit, isReached, out, now);
    }
  }

  /** Sends a critical event: in its place where little of its session waits, else ahead (R4). `isReached`: what waits before it is in the queue. */
  private sendCritical(unit: EventUnit, isReached: boolean, out: Delivery[], now: Millis): void {
    const { queue } = this.pending;
    if (!unit.rendered.isQuestion) this.coming(unit);
    const isBefore = (one: Unit): boolean => one.session === unit.session && (isLocal(one) || one.epoch < unit.epoch);
    const waiting = queue.all().filter(isBefore);
    if (isReached && !this.terms.paused && waiting.length <= FLUSH_LIMIT) {
      queue.remove((one) => waiting.includes(one));
      for (const one of waiting) if (this.send(one, out, now)) this.budget.spend(now);
      this.telling.give(unit, out);
      return;
    }
    const { backlog } = this.pending.source;
    const isLater =
      backlog === undefined
        ? !isReached && this.pending.hasSession(unit.session, unit.epoch)
        : backlog.given < unit.epoch - 1;
    if (waiting.length === 0 && !isLater) {
      this.telling.give(unit, out);
      return;
    }
    const exceptions = this.pending.remember();
    exceptions.pass(unit);
    queue.remove((one) => exceptions.isPassed(one));
    this.pending.counts.overtook += 1;
    this.telling.give({ ...unit, rendered: unit.rendered.overtaking }, out);
  }

  private takeOthers(out: Delivery[], now: Millis): void {
    const { pending, budget } = this;
    const { queue, source } = pending;
    while (out.length < BATCH_LIMIT && budget.availableAt() <= now) {
      const notice = this.telling.isAhead(budget.perSecond()) ? this.telling.next() : undefined;
      if (notice === undefined) {
        const before = Math.max(this.pausedUntil, this.spokenAt, budget.availableAt());
        if (pending.fill(before, this.mergeBefore()) === "resting") return;
        if (queue.head()?.kind === "text" && now < this.spokenAt && !isSilent(queue.head())) return;
      }
      const unit = notice ?? queue.shift() ?? pending.next() ?? (source.isAtEnd ? this.telling.next() : undefined);
      if (unit === undefined) return;
      if (unit.kind === "text" && now < this.spokenAt && !isSilent(unit)) {
        queue.put(unit);
        return;
      }
      if (this.send(unit, out, now)) budget.spend(now);
    }
  }

  /** Hands over a unit, after which the next text waits until it will have been spoken. Returns false if nothing of it left. */
  private send(unit: Unit, out: Delivery[], now: Millis): boolean {
    if (!this.telling.give(unit, out)) return false;
    const { paceWpm } = this.terms;
    if (paceWpm !== undefined && unit.kind === "text" && !isSilent(unit))
      this.spokenAt = now + Math.min((wordCount(unit.text) * 60_000) / paceWpm, this.services.limits.maxHoldMs);
    return true;
  }

  /** Units that were released before this instant merge, because they wait for the budget, a pause or the spoken text (R9, R10, R15, R26). */
  private mergeBefore(): Millis {
    const { maxEventsPerSecond, paused } = this.terms;
    return maxEventsPerSecond !== undefined || paused ? ALWAYS : Math.max(this.pausedUntil, this.spokenAt);
  }

  private nextWait(now: Millis): Taken {
    if (this.first.length > 0) return { kind: "wait", until: now };
    if (this.terms.paused) return IDLE;
    const spoken = this.pending.queue.head()?.kind === "text" ? this.spokenAt : LONG_AGO;
    // A text that has not arrived cannot be waited for. All other units may leave at once.
    const until = Math.max(this.budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : IDLE;
  }
}

function holdsBack({ maxEventsPerSecond, paused, paceWpm }: Terms): boolean {
  return maxEventsPerSecond !== undefined || paused || paceWpm !== undefined;
}

/** Text without words is not spoken. */
function isSilent(unit: Unit | undefined): boolean {
  return unit?.kind === "text" && unit.text.length === 0;
}
