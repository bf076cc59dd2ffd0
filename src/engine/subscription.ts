// One subscription: what it may be given now. It pulls units from its view, or from the journal where it fell behind, and pays for them from
// its own budget. Pulling is the point: while nobody asks, nothing is copied, and what waits can still merge (AAEP §5.6, §8.8, R4, R9, R18).
import type { Millis } from "../contracts/clock.js";
import type { BacklogReader } from "./backlog-reader.js";
import type { Delivery, DeliveryRun } from "./delivery.js";
import { createDeliveryRun } from "./delivery.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import { type AgentEvent, type Epoch, isQuestionKind, type JournaledEvent } from "./event.js";
import type { RateBudget } from "./rate-budget.js";
import type { EventUnit, TextUnit, Unit } from "./unit.js";
import { trimBelow } from "./unit.js";
import type { View } from "./view.js";

export type Taken =
  | { readonly kind: "run"; readonly run: DeliveryRun }
  /** Nothing may leave before `until`, unless something critical comes. */
  | { readonly kind: "wait"; readonly until: Millis }
  | { readonly kind: "idle" };

/** Where a subscription stands in its view. */
export interface Place {
  readonly view: View;
  cursor: number;
}

/** What a stream needs from its owner; all of it is the engine's to give. */
export interface StreamServices {
  /** The same critical event, marked with how many events it overtook (R4). */
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  /** An empty chunk that completes a skipped output (R26). */
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  readonly maxHoldMs: Millis;
  /** Told of what leaves by the slow way, so that a resume point can be kept (R17). */
  readonly delivered: (unit: Unit, low: Epoch) => void;
  /** Told of each question that leaves. */
  readonly asked: (entry: JournaledEvent) => void;
  /** What is open, was asked no later than this epoch, and was not asked here (R6, R28). */
  readonly openQuestions: (upTo: Epoch) => readonly EventUnit[];
}

export interface StreamTerms {
  readonly limited: boolean;
  readonly paused: boolean;
  readonly paceWpm: number | undefined;
}

/** The pull side of one subscription. */
export interface Stream {
  readonly take: (now: Millis) => Taken;
  /** Whether an append to its view should wake it: false while it waits for budget, a pause or the transport. */
  readonly isReady: (now: Millis) => boolean;
  readonly setTerms: (terms: StreamTerms, now: Millis) => void;
  /** Goes on in another place: after new terms, or after falling behind. */
  readonly moveTo: (place: Place, reader: BacklogReader | undefined) => void;
  readonly place: () => Place;
  readonly reader: () => BacklogReader | undefined;
  /** Puts units before everything that waits; they leave at once and at no cost. */
  readonly urge: (units: readonly Unit[]) => void;
  /** Begins the next take with what was asked before, up to this epoch, and is open by then. */
  readonly askOpen: (upTo: Epoch) => void;
  /** Takes what it can into its own queue, so that its view may let go of it. False: the queue is full. */
  readonly absorb: () => boolean;
  /** Text below `position` of this output is not delivered. */
  readonly trim: (output: string, position: number) => void;
  readonly skipOutput: (output: string) => void;
  /** Forgets what waits, except what `keep` picks (R26). */
  readonly skipHeld: (keep: (unit: Unit) => boolean) => void;
  readonly markBlocked: (blocked: boolean) => void;
  /** Everything that waits, whatever the budget (R8a). */
  readonly drain: (now: Millis) => readonly Delivery[];
  readonly waiting: () => number;
  /** The lowest epoch that was released to it and has not left. */
  readonly lowest: () => Epoch | undefined;
}

/** Most events in one run: what a slow peer must take before anything critical can pass. */
const RUN_LIMIT = 256;
/** Most events flushed ahead of a critical one (R4). */
const FLUSH_LIMIT = 4;
/** Most epochs of critical events remembered as already delivered (R18). */
const OVERTAKEN_LIMIT = 1000;

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
  let spokenAt = Number.NEGATIVE_INFINITY;
  let urgent: Unit[] = [];
  let asksUpTo: Epoch | undefined;
  const overtaken = new Set<Epoch>();
  const trims = new Map<string, number>();
  const skipped = new Set<string>();

  /** A unit as this subscription gets it, or undefined where there is nothing of it left to give. */
  const admit = (unit: Unit): Unit | undefined => {
    if (unit.kind === "event") return overtaken.has(unit.epoch) ? undefined : unit;
    if (skipped.has(unit.output)) return unit.complete ? services.completeSkipped(unit) : undefined;
    const floor = trims.get(unit.output);
    return floor === undefined ? unit : trimBelow(unit, floor);
  };

  /** Forgets what was remembered for the sake of a unit that has now been taken. */
  const settle = (unit: Unit): void => {
    if (unit.kind === "event") {
      overtaken.delete(unit.epoch);
      return;
    }
    if (unit.complete) skipped.delete(unit.output);
    const floor = trims.get(unit.output);
    if (floor !== undefined && unit.endPosition >= floor) trims.delete(unit.output);
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
    const admitted = admit(unit);
    if (admitted !== undefined && !queue.offer(admitted, merging)) return "full";
    settle(unit);
    source.cursor += 1;
    return "taken";
  };

  const pressure = (): Millis => Math.max(pressureUntil, budget.availableAt());

  /** Takes over all that arrived while it could not have left. */
  const absorbHeld = (): boolean => {
    const before = pressure();
    for (;;) {
      const source = sourceNow();
      const unit = source?.view.log.at(source.cursor);
      if (unit === undefined) return true;
      if (reader === undefined && unit.at >= before && queue.size() === 0) return true;
      if (absorbOne(terms.limited || unit.at < pressureUntil) === "full") return false;
    }
  };

  const noteQuestion = (unit: Unit): void => {
    if (unit.kind === "event" && isQuestionKind(unit.entry.kind)) services.asked(unit.entry);
  };

  const send = (unit: Unit, out: Delivery[], now: Millis): void => {
    out.push(place.view.deliveryOf(unit));
    noteQuestion(unit);
    if (terms.paceWpm !== undefined && unit.kind === "text" && unit.text.length > 0) {
      const spokenMs = (wordCount(unit.text) * 60_000) / terms.paceWpm;
      spokenAt = now + Math.min(spokenMs, services.maxHoldMs);
    }
    const lowest = queue.lowest();
    services.delivered(unit, lowest === undefined ? unit.low : Math.min(lowest, unit.low));
  };

  const sendAlone = (unit: EventUnit, overtook: number, out: Delivery[]): void => {
    const delivery = place.view.deliveryOf(unit);
    out.push(overtook === 0 ? delivery : place.view.marked(unit, overtook, services.markOvertook));
    noteQuestion(unit);
    overtaken.add(unit.epoch);
    if (overtaken.size > OVERTAKEN_LIMIT) for (const oldest of overtaken) return void overtaken.delete(oldest);
  };

  /** Critical events first: past the queue, the budget and the pause (R4). */
  const takeCritical = (out: Delivery[], now: Millis): void => {
    for (;;) {
      const critical = place.view.log.criticalFrom(criticalSeen);
      if (critical === undefined) return;
      criticalSeen = critical.index + 1;
      if (critical.index < place.cursor && reader === undefined) continue;
      takeOneCritical(critical.index, critical.unit, out, now);
    }
  };

  const takeOneCritical = (index: number, unit: EventUnit, out: Delivery[], now: Millis): void => {
    if (reader !== undefined) {
      sendAlone(unit, reader.behind(unit.entry) + queue.ofSession(unit.session).length, out);
      return;
    }
    let reached = true;
    while (!terms.paused && place.cursor < index && reached) reached = absorbOne(terms.limited) === "taken";
    const held = queue.ofSession(unit.session).length + unitsBetween(place, index, unit.session);
    if (!terms.paused && reached && held <= FLUSH_LIMIT) {
      for (const ahead of queue.remove((waiting) => waiting.session === unit.session)) {
        send(ahead, out, now);
        budget.spend(now);
      }
      place.cursor = index + 1;
      out.push(place.view.deliveryOf(unit));
      noteQuestion(unit);
      services.delivered(unit, Math.min(queue.lowest() ?? unit.low, unit.low));
      return;
    }
    // What it overtook of its own agent's progress and states is old news by the time it could be told (R4).
    queue.remove((waiting) => isSuperseded(waiting, unit));
    if (place.cursor === index) place.cursor = index + 1;
    const still = queue.ofSession(unit.session).length + unitsBetween(place, index, unit.session);
    sendAlone(unit, still, out);
    if (place.cursor > index) overtaken.delete(unit.epoch);
  };

  const takeLimited = (out: Delivery[], now: Millis): void => {
    while (out.length < RUN_LIMIT && budget.availableAt() <= now) {
      const all = absorbHeld();
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
    terms.limited || terms.paused || reader !== undefined || place.cursor < backlogEnd || queue.size() > 0;

  const isShortCut = (): boolean =>
    !holdsBack() &&
    terms.paceWpm === undefined &&
    queue.size() === 0 &&
    overtaken.size === 0 &&
    trims.size === 0 &&
    skipped.size === 0;

  const nextWait = (now: Millis): Taken => {
    if (terms.paused) return { kind: "idle" };
    const head = queue.head();
    const spoken = head === undefined || head.kind === "text" ? spokenAt : Number.NEGATIVE_INFINITY;
    const until = Math.max(budget.availableAt(), spoken);
    return until > now ? { kind: "wait", until } : { kind: "idle" };
  };

  const noteQuestions = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) {
      const unit = place.view.log.at(index);
      if (unit !== undefined) noteQuestion(unit);
    }
  };

  const takeUrgent = (out: Delivery[]): void => {
    const first = asksUpTo === undefined ? urgent : [...services.openQuestions(asksUpTo), ...urgent];
    asksUpTo = undefined;
    urgent = [];
    for (const unit of first) {
      out.push(place.view.deliveryOf(unit));
      noteQuestion(unit);
    }
  };

  const take = (now: Millis): Taken => {
    const out: Delivery[] = [];
    if (asksUpTo !== undefined || urgent.length > 0) takeUrgent(out);
    if (out.length === 0 && isShortCut()) {
      const { log } = place.view;
      if (place.cursor >= log.end()) return { kind: "idle" };
      const { run, next } = log.run(place.cursor, RUN_LIMIT);
      if (log.lastCritical() >= place.cursor) noteQuestions(place.cursor, next);
      place.cursor = next;
      criticalSeen = next;
      return { kind: "run", run };
    }
    if (holdsBack()) takeCritical(out, now);
    else criticalSeen = place.view.log.end();
    if (!terms.paused) takeLimited(out, now);
    return out.length > 0 ? { kind: "run", run: createDeliveryRun(out) } : nextWait(now);
  };

  return {
    take,
    isReady: (now) => !blocked && !terms.paused && budget.availableAt() <= now,
    setTerms: (next, now) => {
      if (terms.paused && !next.paused) pressureUntil = now;
      terms = next;
    },
    moveTo: (next, nextReader) => {
      if (next.view !== place.view) criticalSeen = next.view.log.end();
      place = next;
      reader = nextReader;
    },
    place: () => place,
    reader: () => reader,
    urge: (units) => void urgent.push(...units),
    askOpen: (upTo) => {
      asksUpTo = upTo;
    },
    absorb: () => {
      const end = place.view.log.criticalFrom(criticalSeen)?.index ?? place.view.log.end();
      while (place.cursor < end) if (absorbOne(terms.limited) === "full") return false;
      return place.cursor === place.view.log.end();
    },
    trim: (output, position) => trims.set(output, Math.max(position, trims.get(output) ?? 0)),
    skipOutput: (output) => {
      skipped.add(output);
      for (const unit of queue.remove((waiting) => waiting.kind === "text" && waiting.output === output)) {
        if (unit.kind !== "text" || !unit.complete) continue;
        skipped.delete(output);
        queue.offer(services.completeSkipped(unit), false);
      }
    },
    skipHeld: (keep) => void queue.remove((unit) => !keep(unit)),
    markBlocked: (next) => {
      if (blocked && !next) backlogEnd = place.view.log.end();
      blocked = next;
    },
    drain: (now) => {
      const out: Delivery[] = [];
      const limited = terms.limited;
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
    lowest: () => queue.lowest(),
  };
}

/** Units of a session between a place and an index of its view. */
function unitsBetween(place: Place, index: number, session: string): number {
  let count = 0;
  for (let cursor = place.cursor; cursor < index; cursor += 1)
    if (place.view.log.at(cursor)?.session === session) count += 1;
  return count;
}

function isSuperseded(waiting: Unit, critical: EventUnit): boolean {
  return (
    waiting.kind === "event" &&
    waiting.session === critical.session &&
    waiting.agent === critical.agent &&
    (waiting.role === "progress" ||
      waiting.role === "state" ||
      waiting.role === "background-state" ||
      waiting.role === "gate")
  );
}

/** Words as a listener counts them; a script without spaces counts about two characters a word. */
function wordCount(text: string): number {
  let words = 0;
  let inWord = false;
  let dense = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const space = unit <= 0x20 || unit === 0xa0 || unit === 0x3000;
    if (!space && unit >= 0x2e80 && unit < 0xd7b0) dense += 1;
    else if (!space && !inWord) words += 1;
    inWord = !space;
  }
  return words + Math.ceil(dense / 2);
}
