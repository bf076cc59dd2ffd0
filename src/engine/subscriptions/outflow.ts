// The outflow of a subscription: what leaves next, and in which form. Events that are owed at once come first, then critical events, then the rest
// within the budget (R4, R9, R10, R15, R17).
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import type { SharedView } from "../hub/shared-view.js";
import type { Terms } from "../terms/terms.js";
import { wordCount } from "../text/counted-text.js";
import { batchOf, type Delivery } from "../views/delivery.js";
import { MOST_WORK_AT_ONCE } from "../views/shape-words.js";
import { type EventUnit, eventUnit, isLocal, type Unit } from "../views/unit.js";
import { ownUnit } from "./briefing.js";
import { Pending, type PendingOwner } from "./pending.js";
import { RateBudget } from "./rate-budget.js";
import type { SubscriptionStart } from "./resume.js";
import type { SubscriptionServices } from "./subscription-services.js";
import type { Drained, Taken } from "./subscription-spec.js";

/** Most units of one batch: a slow peer has to take a batch before anything critical can pass (R34). */
const BATCH_LIMIT = 32;
/** Most events that are flushed before a critical event (R4). */
const FLUSH_LIMIT = 4;
/** Most events of a part of the end, and most units looked at for one. A small part loses little if the peer does not take it in time. */
const PART_LIMIT = 64;
const STEP_LIMIT = 256;
/** Most events that wait to be sent again. */
const MOST_REPEATS = 256;
const IDLE: Taken = { kind: "idle" };
const LONG_AGO = Number.NEGATIVE_INFINITY;
const ALWAYS = Number.POSITIVE_INFINITY;

export class Outflow {
  readonly pending: Pending;
  /** Whether the terms may hold units back: by a rate, a pace or a pause. */
  isHeldByTerms: boolean;
  private readonly owner: PendingOwner;
  private readonly services: SubscriptionServices;
  private readonly budget: RateBudget;
  // Units that were released before this instant waited for a pause, and merge (R10, R26).
  private pausedUntil = LONG_AGO;
  // The instant at which the last text will have been spoken. Units that arrive earlier wait for it, and merge (R15).
  private spokenAt = LONG_AGO;
  // Units before this index arrived while the peer took nothing.
  private blockedTo = 0;
  // The work on words at which the present batch is full.
  private mostWork = 0;

  constructor(shared: SharedView, owner: PendingOwner, services: SubscriptionServices) {
    this.owner = owner;
    this.services = services;
    this.isHeldByTerms = holdsBack(owner.terms);
    this.budget = new RateBudget(owner.terms.maxEventsPerSecond, services.limits.burst, services.now());
    this.pending = new Pending(shared, owner, services);
  }

  /** Units in the queue, and sums that are owed. */
  get waitingCount(): number {
    return this.pending.queue.entries.length + (this.pending.briefing?.size ?? 0);
  }

  /** Epochs, outputs and agents that are remembered because of what left out of order, and what is to leave first. */
  get rememberedCount(): number {
    return (this.pending.exceptions?.size ?? 0) + this.pending.first.length;
  }

  /** Whether terms that hold units back would let the next unit of the view leave at once. */
  isReady(now: Millis): boolean {
    return !this.owner.terms.paused && this.budget.availableAt() <= now;
  }

  begin({ resumed, readAfter, loss }: SubscriptionStart): void {
    if (readAfter !== undefined) this.pending.readBack(readAfter);
    if (resumed !== "all") this.pending.owe(loss);
    this.askOpenQuestions(resumed !== "all");
  }

  /** Lets the next take begin with the open questions that were not put; with `tells`, also with notices of those that it cannot answer (R6). */
  askOpenQuestions(tells = true): void {
    const { first } = this.pending;
    const { toPut, toTell } = this.owner.listener.openEntries();
    // By kind too: terms that changed may want the notice of what waits as a question.
    const known = new Set(first.map(({ kind, entry }) => `${kind} ${entry.epoch}`));
    const putFirst = (kind: "question" | "notice", entries: readonly JournaledEvent[]): void => {
      for (const entry of entries) if (!known.has(`${kind} ${entry.epoch}`)) first.push({ kind, entry });
    };
    putFirst("question", toPut);
    if (tells) putFirst("notice", toTell);
  }

  /** Sends an event again, at once (R28). Throws "rate_limit" if too many wait to be sent again. */
  repeat(entry: JournaledEvent): void {
    const waiting = this.pending.first.filter(({ kind }) => kind === "repeat");
    if (waiting.some(({ entry: { epoch } }) => epoch === entry.epoch)) return;
    if (waiting.length >= MOST_REPEATS) {
      const sentence = `Take the ${MOST_REPEATS} events first that are to come again.`;
      throw new Fault("rate_limit", sentence, { pointer: "/event_id", rule: "R34" });
    }
    this.pending.first.push({ kind: "repeat", entry });
  }

  /** The units that may leave now: in the ordinary case the batch that the view makes once for all subscriptions at this place. */
  take(now: Millis): Taken {
    if (!this.isPlain()) return this.takeOwn(now);
    const { pending } = this;
    const { log } = pending.view;
    const shared = log.batch(pending.index);
    if (shared === undefined) return IDLE;
    const { batch, next, isLast: isAll } = shared;
    if (log.criticalEnd > pending.criticalFrom) for (const unit of log.from(pending.index, next)) this.noteTold(unit);
    pending.index = next;
    if (pending.criticalFrom < next) pending.criticalFrom = next;
    // There is no limit, so nothing is spent.
    this.budget.lastSpentAt = now;
    return { kind: "batch", batch, isAll };
  }

  /** Units that leave to this subscription alone: those that are owed at once, critical ones, then the rest within the budget. */
  private takeOwn(now: Millis): Taken {
    const out: Delivery[] = [];
    this.beginTake();
    this.takeFirst(out, now);
    this.takeCriticals(out, now);
    if (!this.owner.terms.paused && this.pending.first.length === 0) this.takeOthers(out, now);
    this.pending.forgetTaken();
    return out.length > 0 ? { kind: "batch", batch: batchOf(out), isAll: false } : this.nextWait(now);
  }

  /** The critical units that may leave now. */
  takeCritical(now: Millis): Taken {
    const out: Delivery[] = [];
    this.beginTake();
    this.takeFirst(out, now);
    this.takeCriticals(out, now);
    return out.length > 0 ? { kind: "batch", batch: batchOf(out), isAll: false } : IDLE;
  }

  /** The next part of all pending units, whatever the budget (R8a). After the first part, `take` is not called any more. */
  drain(now: Millis): Drained {
    const { pending } = this;
    const out: Delivery[] = [];
    this.beginTake();
    pending.backlog?.hurry();
    this.takeFirst(out, now);
    for (let step = 0; step < STEP_LIMIT && this.hasRoom(out, PART_LIMIT); step += 1) {
      if (pending.fillOne()) continue;
      const unit = pending.queue.shift() ?? (pending.isAtEnd ? this.nextSum() : undefined);
      if (unit !== undefined) this.send(unit, out, now);
      if (unit === undefined) break;
    }
    if (out.length > 0) return { kind: "batch", batch: batchOf(out) };
    const isDone = pending.first.length === 0 && !pending.isBriefing && pending.isEmpty;
    return { kind: isDone ? "done" : "later" };
  }

  /** The peer takes again. */
  unblocked(): void {
    this.blockedTo = this.pending.view.log.end;
  }

  /** Takes note of terms that follow others (AAEP §5.7.2). `shared`: their view. */
  retuned(former: Terms, shared: SharedView, now: Millis): void {
    const { terms } = this.owner;
    this.isHeldByTerms = holdsBack(terms);
    this.budget.retune(terms.maxEventsPerSecond, now);
    if (former.paused && !terms.paused) this.pausedUntil = now;
    if (terms.paceWpm === undefined) this.spokenAt = LONG_AGO;
    if (shared === this.pending.shared) return;
    this.pending.changeView(shared);
    this.blockedTo = 0;
    this.askOpenQuestions();
  }

  /** Goes on as a newcomer at the head (R26). The ends of sessions, losses and resolutions that wait still go out. */
  skipAll(): void {
    this.pending.skipAll(isKeptBySkip);
    this.askOpenQuestions();
  }

  /** Takes the units before `index` of the view, so that it may drop them. Returns false if the subscription has to read them from the journal. */
  fillTo(index: number): boolean {
    return !this.hasCritical() && this.pending.fillTo(index, this.mergeBefore());
  }

  private beginTake(): void {
    this.mostWork = this.pending.view.wordWork + MOST_WORK_AT_ONCE;
  }

  /** Whether a batch may grow. The words of speakable text cost more than everything else (R34, R37). */
  private hasRoom(out: readonly Delivery[], limit = BATCH_LIMIT): boolean {
    return out.length < limit && this.pending.view.wordWork < this.mostWork;
  }

  /** Whether nothing but its place in the view decides what the subscription gets next. */
  private isPlain(): boolean {
    const { pending } = this;
    const { backlog, queue, first, exceptions, briefing, index, view } = pending;
    if (this.isHeldByTerms || backlog !== undefined || queue.entries.length > 0 || first.length > 0) return false;
    if (exceptions !== undefined || (briefing !== undefined && pending.isBriefing)) return false;
    if (this.pausedUntil > LONG_AGO && (view.log.at(index)?.at ?? ALWAYS) < this.pausedUntil) return false;
    // Units that came while the peer took nothing are held back only from critical ones.
    return index >= this.blockedTo || !this.hasCritical();
  }

  private hasCritical(): boolean {
    return this.pending.view.log.criticalEnd > this.pending.criticalFrom;
  }

  private takeFirst(out: Delivery[], now: Millis): void {
    const { pending, owner, services } = this;
    const { terms } = pending.view;
    while (this.hasRoom(out)) {
      const next = pending.first.shift();
      if (next === undefined) return;
      const { kind, entry } = next;
      const unit = kind === "notice" ? this.lateNotice(entry) : eventUnit(services.hub.renderedOf(entry));
      if (unit === undefined) continue;
      if (kind === "repeat") {
        if (unit.rendered.isQuestion && !owner.listener.canAnswer(entry)) continue;
        this.noteTold(unit);
        out.push(pending.view.deliveryOf(unit));
      } else if (kind === "question" ? owner.listener.isToPut(entry) : terms.wants(unit.rendered.entry))
        this.sendCritical(unit, pending.backlog === undefined, out, now);
    }
  }

  /** Takes critical events first, past queue, budget and pause, in the order of the journal (R4). */
  private takeCriticals(out: Delivery[], now: Millis): void {
    const { pending } = this;
    while (this.hasRoom(out)) {
      const next = pending.nextCritical();
      if (next === undefined) return;
      const { index, unit } = next;
      const isReached = pending.backlog === undefined && pending.fillTo(index, this.mergeBefore());
      if (isReached) pending.moveTo(index + 1);
      else if (!pending.goAhead(index, unit)) return;
      this.sendCritical(unit, isReached, out, now);
    }
  }

  /** Sends a critical event: in its place where little of its session waits, else ahead (R4). `isReached`: what waits before it is in the queue. */
  private sendCritical(unit: EventUnit, isReached: boolean, out: Delivery[], now: Millis): void {
    const { pending } = this;
    const { queue, backlog } = pending;
    if (!unit.rendered.isQuestion && !isLocal(unit)) pending.briefing?.drop(unit.session);
    const isBefore = (one: Unit): boolean => one.session === unit.session && (isLocal(one) || one.epoch < unit.epoch);
    const waiting = queue.all().filter(isBefore);
    if (isReached && !this.owner.terms.paused && waiting.length <= FLUSH_LIMIT) {
      queue.remove((one) => waiting.includes(one));
      for (const one of waiting) if (this.send(one, out, now)) this.budget.spend(now);
      this.give(unit, out);
      return;
    }
    const isBehind = isReached
      ? false
      : backlog === undefined
        ? pending.hasSession(unit.session, unit.epoch)
        : backlog.given < unit.epoch - 1;
    if (waiting.length === 0 && !isBehind) {
      this.give(unit, out);
      return;
    }
    const exceptions = pending.remember();
    exceptions.pass(unit);
    queue.remove((one) => exceptions.isPassed(one));
    pending.counts.overtook += 1;
    this.give({ ...unit, rendered: unit.rendered.overtaking }, out);
  }

  private takeOthers(out: Delivery[], now: Millis): void {
    const { pending, budget } = this;
    const { queue } = pending;
    while (this.hasRoom(out) && budget.availableAt() <= now) {
      const sum = this.isSumAhead() ? this.nextSum() : undefined;
      if (sum === undefined) {
        const before = Math.max(this.pausedUntil, this.spokenAt, budget.availableAt());
        if (pending.fill(before, this.mergeBefore()) === "resting" || this.isSpeaking(queue.head(), now)) return;
      }
      const unit = sum ?? queue.shift() ?? pending.next() ?? (pending.isAtEnd ? this.nextSum() : undefined);
      if (unit === undefined) return;
      if (this.isSpeaking(unit, now)) {
        queue.put(unit);
        return;
      }
      if (this.send(unit, out, now)) budget.spend(now);
    }
  }

  /** Whether a sum or a loss goes before other units. Sums wait until everything was read back, which says how sessions stand. */
  private isSumAhead(): boolean {
    const { briefing, backlog } = this.pending;
    return briefing?.isAhead(backlog === undefined ? this.budget.perSecond() : 0) === true;
  }

  private nextSum(): EventUnit | undefined {
    const { pending } = this;
    const { terms } = this.owner;
    return pending.backlog === undefined
      ? pending.briefing?.next(terms, (session) => pending.hasSession(session, ALWAYS))
      : pending.briefing?.lossAlone(terms);
  }

  /** The notice of a question to a listener that came later and cannot answer it; undefined if there is nothing to tell (R6). */
  private lateNotice(question: JournaledEvent): EventUnit | undefined {
    const { listener, terms } = this.owner;
    const session = this.services.sessions.summary(question.event.session_id);
    const isOver = session === undefined || !listener.isOpen(question.event.event_id);
    if (isOver || listener.wasTold(question.epoch) || listener.canAnswer(question)) return undefined;
    // It says how the session stands.
    this.pending.briefing?.drop(session.sessionId);
    listener.noteNotice(question.epoch);
    return ownUnit(this.services.notices.lateNotice(question, session, terms), this.services);
  }

  /** Hands over a unit, after which the next text waits until it will have been spoken. Returns false if nothing of it left. */
  private send(unit: Unit, out: Delivery[], now: Millis): boolean {
    if (!this.give(unit, out)) return false;
    const { paceWpm } = this.owner.terms;
    if (paceWpm !== undefined && isSpoken(unit))
      this.spokenAt = now + Math.min((wordCount(unit.text) * 60_000) / paceWpm, this.services.limits.maxHoldMs);
    return true;
  }

  /** Hands over a unit in the form of the present terms. Returns false if they do not want it, or if it was a question that was put before. */
  private give(unit: Unit, out: Delivery[]): boolean {
    const { view, briefing } = this.pending;
    if (unit.kind === "event") {
      const { entry, isQuestion } = unit.rendered;
      if (!view.terms.wants(entry) || (isQuestion && this.owner.listener.wasPut(entry.epoch))) return false;
      const sum = isQuestion ? briefing?.beforeQuestion(unit.session, this.owner.terms) : undefined;
      if (sum !== undefined) this.give(sum, out);
      // Text that is released later gets no earlier timestamp (R30).
      if (isLocal(unit)) view.noteTimestamp(unit.session, entry.event.timestamp);
      this.noteTold(unit);
    }
    out.push(view.deliveryOf(unit));
    return true;
  }

  /** Takes note of a unit that leaves. */
  private noteTold(unit: Unit): void {
    if (unit.kind === "text") return;
    const { entry, isQuestion } = unit.rendered;
    const { counts } = this.pending;
    if (isQuestion) this.owner.listener.notePut(entry);
    else if (entry.made === "notice") this.owner.listener.noteNotice(entry.epoch - 1);
    const lost = lostCount(unit);
    if (lost === undefined) return;
    counts.gaps += 1;
    counts.gapEvents += lost;
  }

  /** Whether a text has to wait until the last one will have been spoken (R15). */
  private isSpeaking(unit: Unit | undefined, now: Millis): boolean {
    return now < this.spokenAt && isSpoken(unit);
  }

  /** Units that were released before this instant merge, because they wait for the budget, a pause or the spoken text (R9, R10, R15, R26). */
  private mergeBefore(): Millis {
    const { maxEventsPerSecond, paused } = this.owner.terms;
    return maxEventsPerSecond !== undefined || paused ? ALWAYS : Math.max(this.pausedUntil, this.spokenAt);
  }

  private nextWait(now: Millis): Taken {
    if (this.pending.first.length > 0) return { kind: "wait", until: now };
    if (this.owner.terms.paused) return IDLE;
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
function isSpoken(unit: Unit | undefined): unit is Extract<Unit, { kind: "text" }> {
  return unit?.kind === "text" && unit.text.length > 0;
}

/** Upper bound of the events that a unit declares lost (R27); 0 if it is not known, undefined if the unit is no gap. */
function lostCount({ rendered }: EventUnit): number | undefined {
  const gap = rendered.entry.event.extensions?.[AAEPD]?.gap;
  if (typeof gap !== "object" || gap === null) return undefined;
  return "events" in gap && typeof gap.events === "number" ? gap.events : 0;
}

/** Whether a unit is told although everything is skipped (R26). */
function isKeptBySkip(unit: Unit): boolean {
  if (unit.kind === "text") return false;
  return unit.rendered.isTerminal || unit.rendered.entry.made === "resolution" || lostCount(unit) !== undefined;
}
