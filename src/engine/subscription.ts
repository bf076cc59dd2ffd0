// One subscription: what it may be given now. It pulls units from its view, or from the journal where it fell behind, and pays for them from
// its own budget. Pulling is the point: while nobody asks, nothing is copied, and what waits can still merge (AAEP §5.6, §8.8, R4, R9, R18).
import type { Millis } from "../contracts/clock.js";
import type { BacklogReader } from "./backlog-reader.js";
import type { Delivery } from "./delivery.js";
import { createDeliveryRun } from "./delivery.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import { type Epoch, isQuestionKind } from "./event.js";
import { createGivenApart, type GivenApart } from "./given-apart.js";
import type { RateBudget } from "./rate-budget.js";
import { type ReadingPoint, readingPoint } from "./reading-point.js";
import type { Place, Stream, StreamServices, StreamTerms, Taken } from "./stream.js";
import { isSuperseded, unitsBetween } from "./superseded.js";
import type { TextStretch } from "./text-stretches.js";
import type { EventUnit, Unit } from "./unit.js";
import { isCritical, isLocal } from "./unit.js";
import { wordCount } from "./word-count.js";

/** Most events in one run: what a slow peer must take before anything critical can pass. */
const RUN_LIMIT = 256;
/** Most events flushed ahead of a critical one (R4). */
const FLUSH_LIMIT = 4;
const NO_FLOORS: ReadonlyMap<string, number> = new Map();

export function createStream(
  start: Place,
  startReader: BacklogReader | undefined,
  queue: DeliveryQueue,
  budget: RateBudget,
  startTerms: StreamTerms,
  services: StreamServices,
): Stream {
  let place = start;
  let reader = startReader;
  let terms = startTerms;
  let criticalSeen = start.view.log.end();
  let blocked = false;
  // Units before this index arrived while the peer took nothing.
  let backlogEnd = 0;
  // What arrived before this moment waited for a pause or a peer, and merges (R10, R26).
  let pressureUntil = Number.NEGATIVE_INFINITY;
  let isLastMerging = false;
  let spokenAt = Number.NEGATIVE_INFINITY;
  let urgent: Unit[] = [];
  let asksUpTo: Epoch | undefined;
  let expedited: EventUnit[] = [];
  // Only while something was given out of order, before, or is skipped.
  let apart: GivenApart | undefined;
  // The lowest epoch owed beside the queue, as it was when last looked at in this take: it only rises, as units are taken over into the queue.
  let restOwed: Epoch | undefined;
  let isRestStale = false;

  const remember = (): GivenApart => {
    apart ??= createGivenApart(services.completeSkipped);
    return apart;
  };

  /** Where the next unit comes from: the journal while it is behind, else the view. A reader that has caught up moves the place itself. */
  const sourceNow = (): Place | undefined => {
    const from = reader?.next();
    return from === undefined && reader === undefined ? place : from;
  };

  /** Moves one unit from the source into the queue. */
  const absorbOne = (merging: boolean): "taken" | "full" | "empty" => {
    const source = sourceNow();
    const unit = source?.view.log.at(source.cursor);
    if (source === undefined || unit === undefined) return "empty";
    const admitted = apart === undefined ? unit : apart.admit(unit);
    if (admitted !== undefined && !queue.offer(admitted, merging)) return "full";
    apart?.settle(unit);
    source.cursor += 1;
    isRestStale = true;
    return "taken";
  };

  const pressure = (): Millis => Math.max(pressureUntil, budget.availableAt());

  /** Nothing of its own decides what becomes of the next texts: they merge as they do for everyone with these terms. */
  const isPlainlyMerging = (): boolean =>
    terms.limited && reader === undefined && queue.size() === 0 && apart?.concernsText() !== true;

  /** Takes over the texts that stand next, as one, together with all who held them back as long. */
  const absorbStretch = (): TextStretch | undefined => {
    const stretch = isPlainlyMerging() ? place.view.stretchFrom(place.cursor) : undefined;
    if (stretch === undefined) return undefined;
    queue.offer(stretch.unit, false);
    services.counts.merged += stretch.next - place.cursor - 1;
    place.cursor = stretch.next;
    isRestStale = true;
    return stretch;
  };

  /** Takes over all that arrived while it could not have left. */
  const absorbHeld = (): boolean => {
    const before = pressure();
    for (;;) {
      const source = sourceNow();
      const unit = source?.view.log.at(source.cursor);
      if (unit === undefined) return true;
      if (reader === undefined && unit.at >= before && queue.size() === 0) return true;
      const stretch = absorbStretch();
      // It does not grow any more. What follows of the text waits in the view, where it is everybody's, and not here.
      if (stretch?.isCutOff === true) return true;
      isLastMerging = terms.limited || unit.at < pressureUntil;
      if (stretch === undefined && absorbOne(isLastMerging) === "full") return false;
    }
  };

  const noteQuestion = (unit: Unit): void => {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) services.asked(unit.entry);
  };

  const give = (unit: Unit, out: Delivery[]): void => {
    out.push(place.view.deliveryOf(unit));
    noteQuestion(unit);
  };

  const send = (unit: Unit, out: Delivery[], now: Millis): void => {
    give(unit, out);
    if (terms.paceWpm !== undefined && unit.kind === "text" && unit.text.length > 0) {
      const spokenMs = (wordCount(unit.text) * 60_000) / terms.paceWpm;
      spokenAt = now + Math.min(spokenMs, services.maxHoldMs);
    }
    // What the daemon says for itself stands nowhere in the journal: everything may still be to come.
    services.delivered(unit, isLocal(unit) ? lowestOwed() : Math.min(queue.lowest() ?? unit.low, unit.low));
  };

  /** The lowest epoch of which something is still owed. Of much that leaves at once, what is not in the queue is looked through once. */
  const lowestOwed = (): Epoch => {
    const queued = queue.lowest() ?? Number.POSITIVE_INFINITY;
    if (restOwed === undefined || (isRestStale && queued > restOwed)) {
      restOwed = pointWith([]).after + 1;
      isRestStale = false;
    }
    return Math.min(queued, restOwed);
  };

  const pointWith = (queued: readonly Unit[]): ReadingPoint =>
    reader?.point(queued, apart?.floors ?? NO_FLOORS) ?? readingPoint(place, queued, apart?.floors ?? NO_FLOORS);

  const sendAlone = (unit: EventUnit, overtook: number, out: Delivery[]): void => {
    const delivery = place.view.deliveryOf(unit);
    if (overtook > 0) services.counts.overtook += 1;
    out.push(overtook === 0 ? delivery : place.view.marked(unit, overtook, services.markOvertook));
    noteQuestion(unit);
    remember().wentAhead(unit);
    remember().supersede(unit);
    // What it overtook is still owed to a subscription that resumes after it (R17).
    services.delivered(unit, Math.min(lowestOwed(), unit.low));
  };

  /** Critical events first: past the queue, the budget and the pause (R4). */
  const takeCritical = (out: Delivery[], now: Millis): void => {
    for (const unit of expedited) sendExpedited(unit, out);
    expedited = [];
    for (;;) {
      const critical = place.view.log.criticalFrom(criticalSeen);
      if (critical === undefined) return;
      criticalSeen = critical.index + 1;
      if (critical.index < place.cursor && reader === undefined) continue;
      takeOneCritical(critical.index, critical.unit, out, now);
    }
  };

  const sendExpedited = (unit: EventUnit, out: Delivery[]): void => {
    queue.remove((waiting) => isSuperseded(waiting, unit));
    sendAlone(unit, (reader?.behind(unit.entry) ?? 0) + queue.ofSession(unit.session).length, out);
  };

  const takeOneCritical = (index: number, unit: EventUnit, out: Delivery[], now: Millis): void => {
    if (reader !== undefined) {
      sendExpedited(unit, out);
      return;
    }
    let reached = true;
    const merging = terms.limited || terms.paused;
    while (place.cursor < index && reached) reached = absorbOne(merging) === "taken";
    const held = queue.ofSession(unit.session).length + unitsBetween(place, index, unit.session);
    if (!terms.paused && reached && held <= FLUSH_LIMIT) {
      // One by one: what is still to be flushed is owed to whoever resumes after what was flushed before it (R17).
      for (const ahead of queue.ofSession(unit.session)) {
        queue.remove((waiting) => waiting === ahead);
        send(ahead, out, now);
        budget.spend(now);
      }
      place.cursor = index + 1;
      isRestStale = true;
      give(unit, out);
      services.delivered(unit, Math.min(queue.lowest() ?? unit.low, unit.low));
      return;
    }
    // What it overtook of its own agent's progress and states is old news by the time it could be told (R4).
    queue.remove((waiting) => isSuperseded(waiting, unit));
    if (place.cursor === index) place.cursor = index + 1;
    isRestStale = true;
    const still =
      queue.ofSession(unit.session).length +
      unitsBetween(place, index, unit.session, (waiting) => isSuperseded(waiting, unit));
    sendAlone(unit, still, out);
    if (place.cursor > index) apart?.settle(unit);
  };

  /** What would merge with what its reader has still to read waits for that, over the turns that this takes (R9, R10). */
  const isReadingOn = (): boolean => reader?.isResting() === true && (terms.limited || isLastMerging);

  const takeLimited = (out: Delivery[], now: Millis): void => {
    while (out.length < RUN_LIMIT && budget.availableAt() <= now) {
      const all = absorbHeld();
      if (all && isReadingOn()) return;
      if (queue.size() === 0 && absorbOne(false) === "empty") return;
      const head = queue.head();
      if (head === undefined) continue;
      if (head.kind === "text" && head.text.length > 0 && now < spokenAt) return;
      queue.shift();
      send(head, out, now);
      budget.spend(now);
      if (!all) absorbHeld();
    }
  };

  /** Whether anything may be waiting that a critical event has to pass. What came in this turn to an idle subscription was never held. */
  const holdsBack = (): boolean =>
    terms.limited ||
    terms.paused ||
    terms.paceWpm !== undefined ||
    reader !== undefined ||
    place.cursor < backlogEnd ||
    queue.size() > 0 ||
    expedited.length > 0;

  /** What arrived while the peer took nothing is only held back from something critical; without any it leaves as the others get it. */
  const isBacklogPlain = (): boolean =>
    place.cursor >= backlogEnd || place.view.log.criticalFrom(criticalSeen) === undefined;

  const isShortCut = (): boolean =>
    !terms.limited &&
    !terms.paused &&
    terms.paceWpm === undefined &&
    reader === undefined &&
    queue.size() === 0 &&
    isBacklogPlain() &&
    apart === undefined &&
    expedited.length === 0;

  const nextWait = (now: Millis): Taken => {
    if (terms.paused) return { kind: "idle" };
    const head = queue.head();
    const spoken = head?.kind === "text" ? spokenAt : Number.NEGATIVE_INFINITY;
    // A text that is not there yet cannot be waited for; anything else may leave at once.
    const until = Math.max(budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : { kind: "idle" };
  };

  /** What is open and was not asked here, except what goes ahead by itself in the same take. */
  const questionsUpTo = (epoch: Epoch): readonly EventUnit[] =>
    services.openQuestions(epoch).filter((open) => !expedited.some((unit) => unit.epoch === open.epoch));

  const takeUrgent = (): Delivery[] => {
    restOwed = undefined;
    const first = asksUpTo === undefined ? urgent : [...questionsUpTo(asksUpTo), ...urgent];
    asksUpTo = undefined;
    urgent = [];
    const out: Delivery[] = [];
    for (const unit of first) {
      give(unit, out);
      // A question that is asked at once is not asked again when its place in the backlog comes (R28).
      if (isCritical(unit)) remember().wentAhead(unit);
      services.delivered(unit, lowestOwed());
    }
    return out;
  };

  /** Where it stands at the end of its view and holds nothing, nothing that went ahead can come again. */
  const forgetPassed = (): void => {
    if (reader !== undefined || place.cursor < place.view.log.end()) return;
    apart?.forgetPassed((output) => place.view.texts.heldOffset(output) !== undefined);
    if (apart?.count() === 0) apart = undefined;
  };

  const take = (now: Millis): Taken => {
    const out = takeUrgent();
    if (out.length === 0 && isShortCut()) {
      const { log } = place.view;
      if (place.cursor >= log.end()) return { kind: "idle" };
      const { run, next } = log.run(place.cursor, RUN_LIMIT);
      if (log.lastCritical() >= place.cursor) log.from(place.cursor, next).forEach(noteQuestion);
      place.cursor = next;
      criticalSeen = next;
      budget.spend(now);
      return { kind: "run", run };
    }
    if (holdsBack()) takeCritical(out, now);
    else criticalSeen = place.view.log.end();
    if (!terms.paused) takeLimited(out, now);
    forgetPassed();
    const [first] = out;
    if (first === undefined) return nextWait(now);
    return { kind: "run", run: out.length === 1 ? place.view.runOf(first) : createDeliveryRun(out) };
  };

  return {
    take,
    isReady: (now) => !blocked && !terms.paused && budget.availableAt() <= now,
    setTerms: (next, now) => {
      if (terms.paused && !next.paused) pressureUntil = now;
      terms = next;
    },
    moveTo: (next, nextReader) => {
      if (next.view !== place.view) {
        criticalSeen = next.view.log.end();
        backlogEnd = 0;
      }
      place = next;
      reader = nextReader;
      restOwed = undefined;
    },
    place: () => place,
    reader: () => reader,
    urge: (units) => void urgent.push(...units),
    askOpen: (upTo) => {
      asksUpTo = upTo;
    },
    absorb: (upTo) => {
      const end = Math.min(upTo, place.view.log.criticalFrom(criticalSeen)?.index ?? upTo);
      while (place.cursor < end) if (absorbStretch() === undefined && absorbOne(terms.limited) === "full") return false;
      return place.cursor >= upTo;
    },
    trim: (output, position) => remember().setFloor(output, Math.max(position, apart?.floors.get(output) ?? 0)),
    setFloors: (positions) => {
      for (const [output, position] of positions) remember().setFloor(output, position);
    },
    point: pointWith,
    skipOutput: (output) => {
      let isOver = false;
      queue.replace((unit) => {
        if (unit.kind !== "text" || unit.output !== output) return unit;
        isOver ||= unit.complete;
        return unit.complete ? services.completeSkipped(unit) : undefined;
      });
      if (isOver) return;
      remember().skip(output);
    },
    waitingUnits: () => {
      const units = [...queue.all()];
      const released = reader?.released() ?? place.view.log.from(place.cursor);
      for (const unit of released) {
        const admitted = apart === undefined ? unit : apart.admit(unit);
        if (admitted !== undefined) units.push(admitted);
      }
      return units;
    },
    giveBack: () => queue.remove((unit) => !isLocal(unit)),
    forget: () => void queue.remove(() => true),
    say: (unit) => queue.put(unit),
    takePendingCriticals: () => {
      const pending = expedited;
      expedited = [];
      for (let next = criticalSeen; ; ) {
        const critical = place.view.log.criticalFrom(next);
        if (critical === undefined) break;
        next = critical.index + 1;
        criticalSeen = next;
        if (critical.index >= place.cursor || reader !== undefined) pending.push(critical.unit);
      }
      return pending;
    },
    expedite: (units) => void expedited.push(...units),
    wentAhead: (epoch) => apart?.hasGoneAhead(epoch) === true,
    markBlocked: (next) => {
      if (blocked && !next) backlogEnd = place.view.log.end();
      blocked = next;
    },
    drain: (now) => {
      const out = takeUrgent();
      for (const unit of expedited) give(unit, out);
      expedited = [];
      reader?.hurry();
      const { limited } = terms;
      terms = { limited, paused: false, paceWpm: undefined };
      for (let more = true; more; ) {
        more = absorbOne(limited) === "taken";
        if (more) continue;
        for (let unit = queue.shift(); unit !== undefined; unit = queue.shift()) {
          send(unit, out, now);
          more = true;
        }
      }
      return out;
    },
    waiting: () => queue.size(),
    remembered: () => (apart?.count() ?? 0) + urgent.length + expedited.length,
    lowest: () => queue.lowest(),
  };
}
