// A view: the stream as one set of terms sees it. Filter, shape and the coalescing of streamed text are done here, once for all subscriptions
// that share the terms (R10, R14, R15, R30). Rates, pauses and what a slow peer misses are each subscription's own and live elsewhere.
import type { Millis } from "../contracts/clock.js";
import { createDelivery, type Delivery } from "./delivery.js";
import { encodedBytes } from "./delivery-queue.js";
import type { AgentEvent, Epoch } from "./event.js";
import { isTerminalKind } from "./event.js";
import type { InternedShape, LiveEntry } from "./live-entry.js";
import type { Chunk, OutputText } from "./output-text.js";
import type { Boundary } from "./terms.js";
import { BOUNDARIES } from "./terms.js";
import type { EventRole, TextUnit, Unit } from "./unit.js";
import { agreeForMerging, codePointCount, outputKey } from "./unit.js";
import type { ViewLog } from "./view-log.js";
import { createViewLog } from "./view-log.js";
import type { WakeUps } from "./wake-ups.js";

/** The part of the terms that decides what the stream is, and not how fast it comes. */
export interface ViewTerms {
  /** Equal keys, equal streams. */
  readonly key: string;
  readonly shape: InternedShape;
  /** Whether an event is delivered at all (R6, R15, R31, R32). */
  readonly wants: (live: LiveEntry) => boolean;
  readonly passThrough: boolean;
  /** The weakest boundary asked for beside completion; undefined where only completion releases. */
  readonly level: "word" | "sentence" | "paragraph" | undefined;
  readonly maxChars: number;
  /** Whether the event carries extensions that this stream's subscribers implement. */
  readonly carriesExtensions: (event: AgentEvent) => boolean;
}

export interface ViewServices {
  /** The shared text of an output, or undefined where nobody follows it yet: the view then asks for it. */
  readonly outputText: (live: LiveEntry, key: string) => OutputText;
  readonly chunkOf: (text: OutputText, live: LiveEntry, at: Millis) => Chunk;
  /** A record of one chunk alone, for a chunk that is too long to pass through whole. */
  readonly textOfOne: (live: LiveEntry, key: string) => OutputText;
  readonly wakeUps: WakeUps;
  readonly maxHoldMs: Millis;
  /** Makes the event of a stretch of text (R12, R30). */
  readonly renderText: (unit: TextUnit, terms: ViewTerms) => AgentEvent;
}

/** Text that has been published and not released. */
export interface HeldText {
  readonly output: string;
  readonly session: string;
  readonly firstEpoch: Epoch;
  /** Code points from the start of the output. */
  readonly position: number;
}

export interface View {
  readonly terms: ViewTerms;
  readonly log: ViewLog;
  /** Takes the next event of the journal. */
  readonly push: (live: LiveEntry, at: Millis) => void;
  /** The epoch of the last event taken. */
  readonly epoch: () => Epoch;
  readonly held: () => readonly HeldText[];
  /** Releases held text of an output up to a position. */
  readonly release: (output: string, position: number, at: Millis) => void;
  /** Releases all held text (R8a). */
  readonly releaseAll: (at: Millis) => void;
  /** Begins to follow an output from `position` on, without its earlier text. */
  readonly follow: (text: OutputText, offset: number) => void;
  /** The position at which an output's held text ends; 0 where none is held. */
  readonly endPosition: (output: string) => number;
  /** The lowest local offset of an output's text that is held here, or undefined. */
  readonly heldOffset: (output: string) => number | undefined;
  readonly deliveryOf: (unit: Unit) => Delivery;
  /** A unit's event with how many it overtook, made once a count (R4). */
  readonly marked: (unit: Unit, overtook: number, mark: (event: AgentEvent, count: number) => AgentEvent) => Delivery;
  /** Cancels its timers. */
  readonly close: () => void;
}

interface Hold {
  readonly text: OutputText;
  readonly agent: string;
  start: number;
  position: number;
  firstAt: Millis;
  lastAt: Millis;
  end: number;
  cancel: (() => void) | undefined;
  sealed: boolean;
}

const MAX_TEXT_BYTES = 60 * 1024;

export function createView(
  terms: ViewTerms,
  services: ViewServices,
  startsAfter: Epoch,
  appended: (critical: boolean) => void,
): View {
  const holds = new Map<string, Hold>();
  const lastTimestamps = new Map<string, string>();
  const rendered = new WeakMap<Unit, Delivery>();
  const marks = new WeakMap<Unit, Map<number, Delivery>>();
  let epoch = startsAfter;

  const deliveryOf = (unit: Unit): Delivery => {
    if (unit.kind === "event") return unit.delivery;
    if (unit.verbatim !== undefined) return unit.verbatim;
    const known = rendered.get(unit);
    if (known !== undefined) return known;
    const delivery = createDelivery(services.renderText(unit, terms), unit.epoch, undefined);
    rendered.set(unit, delivery);
    return delivery;
  };
  const log = createViewLog(deliveryOf);

  const lowestHeld = (except: number): Epoch => {
    let lowest = except;
    for (const hold of holds.values()) {
      const first = hold.text.chunkAt(hold.start)?.live.entry.epoch;
      if (first !== undefined && first < lowest) lowest = first;
    }
    return lowest;
  };

  const append = (unit: Unit): void => {
    lastTimestamps.set(unit.session, unit.kind === "text" ? unit.timestamp : unit.entry.event.timestamp);
    log.append(unit);
    appended(unit.kind === "event" && unit.role === "critical");
  };

  /** Cuts [hold.start, to) off the hold and hands it on, in as many events as the limits ask for. */
  const emit = (
    hold: Hold,
    to: number,
    at: Millis,
    timestamp: string,
    end: { complete: boolean; forced: boolean },
  ): void => {
    const { boundaries } = hold.text;
    do {
      const cut = to > hold.start ? boundaries.cutWithin(hold.start, to, terms.maxChars, MAX_TEXT_BYTES) : to;
      const last = cut === to;
      const first = hold.text.chunkAt(hold.start);
      const final = cut > hold.start ? hold.text.chunkAt(cut - 1) : first;
      if (first === undefined || final === undefined) return;
      const text = boundaries.slice(hold.start, cut);
      const complete = last && end.complete;
      const hint = complete ? "completion" : hintOf(hold, final, cut, end.forced || !last);
      const from = { start: hold.start, position: hold.position };
      hold.start = cut;
      hold.position += codePointCount(text);
      hold.firstAt = hold.text.chunkAt(cut)?.at ?? at;
      const whole = first === final && first.start === from.start && first.end === cut;
      const { entry } = first.live;
      const same = whole && entry.event.complete === complete && entry.event.coalesce_hint === hint;
      append({
        kind: "text",
        session: entry.event.session_id,
        agent: hold.agent,
        at,
        firstEpoch: entry.epoch,
        epoch: complete ? Math.max(final.live.entry.epoch, epoch) : final.live.entry.epoch,
        low: hold.start < hold.end ? lowestHeld(epoch + 1) : lowestHeldWithout(hold, epoch + 1),
        output: hold.text.key,
        position: from.position,
        endPosition: hold.position,
        text,
        hint,
        complete,
        timestamp,
        base: first.live.deliveryIn(terms.shape).event,
        mergeable: !hold.sealed,
        verbatim: same ? first.live.deliveryIn(terms.shape) : undefined,
      });
    } while (hold.start < to);
  };

  const lowestHeldWithout = (without: Hold, except: Epoch): Epoch => {
    let lowest = except;
    for (const hold of holds.values()) {
      if (hold === without) continue;
      const first = hold.text.chunkAt(hold.start)?.live.entry.epoch;
      if (first !== undefined && first < lowest) lowest = first;
    }
    return lowest;
  };

  const hintOf = (hold: Hold, final: Chunk, cut: number, forced: boolean): Boundary => {
    const own = final.end === cut ? asBoundary(final.live.entry.event.coalesce_hint) : undefined;
    let hint = hold.text.boundaries.levelAt(cut);
    if (own !== undefined) hint = stronger(hint, own);
    return forced && terms.level !== undefined ? stronger(hint, terms.level) : hint;
  };

  const drop = (hold: Hold): void => {
    hold.cancel?.();
    holds.delete(hold.text.key);
  };

  const releaseWhole = (hold: Hold, at: Millis, timestamp: string): void => {
    if (hold.start < hold.end) emit(hold, hold.end, at, timestamp, { complete: false, forced: true });
    drop(hold);
  };

  const dueAt = (hold: Hold): Millis =>
    Math.min(hold.lastAt + services.maxHoldMs, hold.firstAt + 3 * services.maxHoldMs);

  const arm = (hold: Hold): void => {
    if (hold.cancel !== undefined || terms.level === undefined) return;
    const due = dueAt(hold);
    hold.cancel = services.wakeUps.at(due, (now) => {
      hold.cancel = undefined;
      // Tokens that came since only moved the time; moving the timer with each would cost more than looking again.
      if (hold.start === hold.end) return;
      if (dueAt(hold) > now) arm(hold);
      else releaseWhole(hold, now, lastTimestamps.get(hold.text.session) ?? timestampOf(hold));
    });
  };

  const timestampOf = (hold: Hold): string => hold.text.chunkAt(hold.end)?.live.entry.event.timestamp ?? "";

  const releaseForEvent = (live: LiveEntry, at: Millis): void => {
    if (terms.level === undefined) return;
    const { event } = live.entry;
    for (const hold of [...holds.values()]) {
      if (hold.text.session !== event.session_id) continue;
      if (hold.agent === event.producer.agent_id) releaseWhole(hold, at, event.timestamp);
      else {
        const cut = hold.text.boundaries.lastWord(hold.start);
        if (cut > hold.start) emit(hold, cut, at, event.timestamp, { complete: false, forced: true });
      }
    }
  };

  const pushEvent = (live: LiveEntry, at: Millis): void => {
    const { entry } = live;
    const role = roleOf(live);
    if (role !== "progress" && role !== "background-state") releaseForEvent(live, at);
    append({
      kind: "event",
      session: entry.event.session_id,
      agent: entry.event.producer.agent_id,
      at,
      firstEpoch: entry.epoch,
      epoch: entry.epoch,
      low: lowestHeld(entry.epoch + 1),
      role,
      terminal: isTerminalKind(entry.kind),
      entry,
      delivery: live.deliveryIn(terms.shape),
    });
  };

  const pushPassThrough = (live: LiveEntry, at: Millis): boolean => {
    const { event, epoch: own } = live.entry;
    const text = event.chunk;
    if (typeof text !== "string") return false;
    const position = typeof event.position === "number" ? event.position : 0;
    if (text.length > terms.maxChars || text.length * 3 > MAX_TEXT_BYTES) {
      const tooLong = codePointCount(text) > terms.maxChars || encodedBytes(text) > MAX_TEXT_BYTES;
      // Cut at the best boundaries, as every other stream would cut it.
      if (tooLong) return false;
    }
    append({
      kind: "text",
      session: event.session_id,
      agent: event.producer.agent_id,
      at,
      firstEpoch: own,
      epoch: own,
      low: own + 1,
      output: outputKey(event),
      position,
      endPosition: position + codePointCount(text),
      text,
      hint: asBoundary(event.coalesce_hint) ?? (event.complete === true ? "completion" : "none"),
      complete: event.complete === true,
      timestamp: event.timestamp,
      base: live.deliveryIn(terms.shape).event,
      mergeable: !terms.carriesExtensions(event),
      verbatim: live.deliveryIn(terms.shape),
    });
    return true;
  };

  const pushChunk = (live: LiveEntry, at: Millis): void => {
    const { event } = live.entry;
    if (terms.passThrough && pushPassThrough(live, at)) return;
    const key = outputKey(event);
    const text = terms.passThrough ? services.textOfOne(live, key) : services.outputText(live, key);
    const chunk = services.chunkOf(text, live, at);
    const sealed = terms.carriesExtensions(event);
    let hold = holds.get(key);
    if (hold !== undefined && hold.start < hold.end && (sealed || hold.sealed || !agreesWith(hold, event))) {
      releaseWhole(hold, at, event.timestamp);
      hold = undefined;
    }
    if (hold === undefined) {
      const position = typeof event.position === "number" ? event.position : 0;
      hold = {
        text,
        agent: event.producer.agent_id,
        start: chunk.start,
        position,
        firstAt: at,
        lastAt: at,
        end: chunk.end,
        cancel: undefined,
        sealed,
      };
      holds.set(key, hold);
    } else {
      if (hold.start === hold.end) hold.firstAt = at;
      hold.lastAt = at;
      hold.end = chunk.end;
      hold.sealed = sealed;
    }
    releaseFrom(hold, chunk, at);
  };

  const agreesWith = (hold: Hold, event: AgentEvent): boolean => {
    const first = hold.text.chunkAt(hold.start);
    return first !== undefined && agreeForMerging(first.live.entry.event, event);
  };

  /** Releases what the newest chunk has shown to be ready. */
  const releaseFrom = (hold: Hold, chunk: Chunk, at: Millis): void => {
    const { event } = chunk.live.entry;
    const { boundaries } = hold.text;
    const complete = event.complete === true;
    const own = asBoundary(event.coalesce_hint);
    const trusted =
      hold.sealed ||
      terms.passThrough ||
      (own !== undefined && terms.level !== undefined && rank(own) >= rank(terms.level));
    if (terms.level !== undefined) {
      // A trusted chunk is not cut inside: its agent has already said where the text may be cut.
      const limit = trusted ? chunk.start : chunk.end;
      for (;;) {
        const next = boundaries.next(hold.start, terms.level);
        if (next === undefined || next > limit || (complete && next === chunk.end)) break;
        emit(hold, next, at, event.timestamp, { complete: false, forced: false });
      }
    }
    if (complete) {
      emit(hold, hold.end, at, event.timestamp, { complete: true, forced: false });
      drop(hold);
      return;
    }
    if (trusted && hold.start < hold.end) emit(hold, hold.end, at, event.timestamp, { complete: false, forced: false });
    while (hold.start < hold.end) {
      const cut = boundaries.cutWithin(hold.start, hold.end, terms.maxChars, MAX_TEXT_BYTES);
      if (cut >= hold.end) break;
      emit(hold, cut, at, event.timestamp, { complete: false, forced: true });
    }
    if (terms.passThrough) drop(hold);
    else if (hold.start < hold.end) arm(hold);
  };

  return {
    terms,
    log,
    push: (live, at) => {
      epoch = live.entry.epoch;
      if (terms.wants(live)) {
        if (live.entry.kind === "output.streaming") pushChunk(live, at);
        else pushEvent(live, at);
      }
      if (isTerminalKind(live.entry.kind)) lastTimestamps.delete(live.entry.event.session_id);
    },
    epoch: () => epoch,
    held: () => {
      const held: HeldText[] = [];
      for (const hold of holds.values()) {
        if (hold.start === hold.end) continue;
        const first = hold.text.chunkAt(hold.start)?.live.entry.epoch ?? epoch + 1;
        held.push({ output: hold.text.key, session: hold.text.session, firstEpoch: first, position: hold.position });
      }
      return held;
    },
    release: (output, position, at) => {
      const hold = holds.get(output);
      if (hold === undefined) return;
      const to = Math.min(hold.end, hold.text.offsetOf(position));
      if (to > hold.start) emit(hold, to, at, timestampOf(hold), { complete: false, forced: true });
      if (hold.start === hold.end) drop(hold);
    },
    releaseAll: (at) => {
      for (const hold of [...holds.values()]) releaseWhole(hold, at, timestampOf(hold));
    },
    follow: (text, offset) => {
      const chunk = text.chunkAt(offset);
      const end = text.boundaries.length();
      if (chunk === undefined || offset >= end) return;
      const { event } = chunk.live.entry;
      const hold: Hold = {
        text,
        agent: event.producer.agent_id,
        start: offset,
        position: text.positionOf(offset),
        firstAt: chunk.at,
        lastAt: chunk.at,
        end,
        cancel: undefined,
        sealed: false,
      };
      holds.set(text.key, hold);
      arm(hold);
    },
    endPosition: (output) => {
      const hold = holds.get(output);
      if (hold === undefined) return 0;
      return hold.position + codePointCount(hold.text.boundaries.slice(hold.start, hold.end));
    },
    heldOffset: (output) => {
      const hold = holds.get(output);
      return hold !== undefined && hold.start < hold.end ? hold.start : undefined;
    },
    deliveryOf,
    marked: (unit, overtook, mark) => {
      const byCount = marks.get(unit) ?? new Map<number, Delivery>();
      marks.set(unit, byCount);
      const known = byCount.get(overtook);
      if (known !== undefined) return known;
      const delivery = createDelivery(mark(deliveryOf(unit).event, overtook), unit.epoch, undefined);
      byCount.set(overtook, delivery);
      return delivery;
    },
    close: () => {
      for (const hold of [...holds.values()]) drop(hold);
    },
  };
}

function roleOf(live: LiveEntry): EventRole {
  const { entry, critical } = live;
  if (critical) return "critical";
  switch (entry.kind) {
    case "progress.updated":
      return "progress";
    case "state.changed":
      if (isGateState(entry.event.from_state) || isGateState(entry.event.to_state)) return "gate";
      return entry.event.urgency === "background" ? "background-state" : "state";
    default:
      return "plain";
  }
}

function isGateState(state: unknown): boolean {
  return state === "awaiting_input" || state === "handing_off";
}

function asBoundary(value: unknown): Boundary | undefined {
  return BOUNDARIES.find((boundary) => boundary === value);
}

function rank(boundary: Boundary): number {
  return BOUNDARIES.indexOf(boundary);
}

function stronger(a: Boundary, b: Boundary): Boundary {
  return rank(a) >= rank(b) ? a : b;
}
