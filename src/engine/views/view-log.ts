// The newest units of one view, numbered from its beginning, and the batches that several subscriptions take alike.

import { eventSize } from "../event/event-size.js";
import type { Delivery, DeliveryBatch } from "./delivery.js";
import { createDeliveryBatch } from "./delivery.js";
import type { EventUnit, Unit } from "./unit.js";

interface CriticalUnit {
  readonly index: number;
  readonly unit: EventUnit;
}

/** Units that subscriptions at the same place take together. */
interface SharedBatch {
  readonly batch: DeliveryBatch;
  /** The index behind the last unit. */
  readonly next: number;
  /** Whether there was no further unit when the batch was made. */
  readonly isLast: boolean;
}

export interface ViewLog {
  readonly append: (unit: Unit) => void;
  /** Index of the oldest unit held, and one past the newest. */
  readonly start: () => number;
  readonly end: () => number;
  /** Number of text units so far whose event has to be made. */
  readonly madeTextCount: () => number;
  readonly at: (index: number) => Unit | undefined;
  /** The units from `index` up to `to`, exclusive; by default to the newest. */
  readonly from: (index: number, to?: number) => readonly Unit[];
  /** The first critical unit at or after `index`, among the newest 1,000 (R18). */
  readonly criticalFrom: (index: number) => CriticalUnit | undefined;
  /** Index of the newest critical unit; -1 if there was none. */
  readonly lastCritical: () => number;
  /**
   * The units from `from` as one batch, of at most 256 units and no more after 64 KiB (R34). Equal requests share one object. Undefined at the end.
   */
  readonly batch: (from: number) => SharedBatch | undefined;
  /** Drops the units before `index`. */
  readonly drop: (index: number) => void;
}

const CRITICALS_KEPT = 1000;
const BATCHES_KEPT = 8;
/** Small events travel together by the hundred, as one write each. Long ones are encoded a few at a time, so that others come between (R34). */
const BATCH_UNITS = 256;
const BATCH_BYTES = 64 * 1024;

interface KnownBatch extends SharedBatch {
  readonly from: number;
  /** Whether the limits end the batch: further units do not change it. */
  readonly isFull: boolean;
}

function bytesOf(unit: Unit): number {
  return unit.kind === "text" ? unit.text.length : eventSize(unit.entry);
}

export function createViewLog(render: (unit: Unit) => Delivery): ViewLog {
  let units: Unit[] = [];
  // `first` is the index of the first unit in `units`, `base` that of the oldest unit held. Units between the two are removed when they are half of
  // all. Dropping units one by one therefore copies each unit about once.
  let first = 0;
  let base = 0;
  let madeTextCount = 0;
  const criticals: CriticalUnit[] = [];
  const batches: KnownBatch[] = [];

  /** The index behind the batch that begins at `from`, and whether the limits end it there. */
  const endOfBatch = (from: number): { readonly next: number; readonly isFull: boolean } => {
    const end = first + units.length;
    let next = from;
    for (let bytes = 0; next < end; next += 1) {
      if (next - from === BATCH_UNITS || bytes >= BATCH_BYTES) return { next, isFull: true };
      const unit = units[next - first];
      if (unit !== undefined) bytes += bytesOf(unit);
    }
    return { next, isFull: false };
  };

  return {
    append: (unit) => {
      if (unit.kind === "event" && unit.role === "critical") {
        criticals.push({ index: first + units.length, unit });
        if (criticals.length > CRITICALS_KEPT) criticals.shift();
      }
      if (unit.kind === "text" && unit.verbatim === undefined) madeTextCount += 1;
      units.push(unit);
    },
    start: () => base,
    end: () => first + units.length,
    madeTextCount: () => madeTextCount,
    at: (index) => (index < base ? undefined : units[index - first]),
    from: (index, to = first + units.length) => units.slice(Math.max(base, index) - first, to - first),
    criticalFrom: (index) => {
      let found: CriticalUnit | undefined;
      for (let place = criticals.length - 1; place >= 0; place -= 1) {
        const critical = criticals[place];
        if (critical === undefined || critical.index < index) break;
        found = critical;
      }
      return found;
    },
    lastCritical: () => criticals.at(-1)?.index ?? -1,
    batch: (from) => {
      const end = first + units.length;
      if (from >= end) return undefined;
      for (let place = batches.length - 1; place >= 0; place -= 1) {
        const known = batches[place];
        if (known?.from === from && (known.next === end ? known.isLast : known.isFull && !known.isLast)) return known;
      }
      const { next, isFull } = endOfBatch(from);
      const taken = units.slice(from - first, next - first);
      const made = { from, next, batch: createDeliveryBatch(taken.map(render)), isFull, isLast: next === end };
      batches.push(made);
      if (batches.length > BATCHES_KEPT) batches.shift();
      return made;
    },
    drop: (index) => {
      const next = Math.min(index, first + units.length);
      if (next <= base) return;
      base = next;
      const dead = base - first;
      if (dead * 2 >= units.length) {
        units = units.slice(dead);
        first = base;
      }
      // Batches hold encoded bytes. A batch whose beginning was dropped cannot be requested any more.
      for (let place = batches.length - 1; place >= 0; place -= 1)
        if ((batches[place]?.from ?? 0) < base) batches.splice(place, 1);
    },
  };
}
