// The newest units of one view, numbered from its beginning, and the batches that several subscriptions take alike.
import { eventSize } from "../event/event-size.js";
import { batchOf, type Delivery, type DeliveryBatch } from "./delivery.js";
import { joinText } from "./merged-events.js";
import { MOST_WORK_AT_ONCE } from "./shape-words.js";
import { type EventUnit, isCriticalUnit, type TextUnit, type Unit } from "./unit.js";

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

interface KnownBatch extends SharedBatch {
  readonly from: number;
  /** Whether the limits end the batch: further units do not change it. */
  readonly isFull: boolean;
}

/** Neighbouring texts of one output as one text. */
export interface TextStretch {
  readonly unit: TextUnit;
  /** Index of the first unit that is not part of it. */
  readonly next: number;
  /** More text of the output follows that cannot join: too long together, not in agreement, or sealed (R10). */
  readonly isCutOff: boolean;
}

/** Gives units the form in which they leave. */
interface UnitForms {
  readonly deliveryOf: (unit: Unit) => Delivery;
  readonly wordWork: number;
}

const CRITICALS_KEPT = 1000;
const BATCHES_KEPT = 8;
/** Most stretches remembered, one for each rate and phase: subscriptions of one rate ask for the same beginning one after another. */
const STRETCHES_KEPT = 64;
/** Small events travel together by the hundred, as one write each. Long ones are encoded a few at a time, so that others come between (R34). */
const BATCH_UNITS = 256;
const BATCH_BYTES = 64 * 1024;

export class ViewLog {
  private readonly forms: UnitForms;
  private readonly maxChars: number;
  private units: Unit[] = [];
  // `first` is the index of the first unit in `units`, `base` that of the oldest unit held. Units between the two are removed when they are half of
  // all. Dropping units one by one therefore copies each unit about once.
  private first = 0;
  private base = 0;
  // The newest critical units, and the index behind those that are no longer among them.
  private readonly criticals: CriticalUnit[] = [];
  private criticalsFrom = 0;
  private readonly batches: KnownBatch[] = [];
  private readonly stretches = new Map<number, TextStretch>();

  /** Index behind the newest unit, and behind the newest critical one. */
  end = 0;
  criticalEnd = 0;

  /** `maxChars`: longest joined text, in code points. */
  constructor(forms: UnitForms, maxChars: number) {
    this.forms = forms;
    this.maxChars = maxChars;
  }

  /** Index of the oldest unit held. */
  get start(): number {
    return this.base;
  }

  append(unit: Unit): void {
    if (isCriticalUnit(unit)) {
      this.criticals.push({ index: this.end, unit });
      this.criticalEnd = this.end + 1;
      if (this.criticals.length > CRITICALS_KEPT) this.criticalsFrom = (this.criticals.shift()?.index ?? 0) + 1;
    }
    this.units.push(unit);
    this.end += 1;
  }

  at(index: number): Unit | undefined {
    return index < this.base ? undefined : this.units[index - this.first];
  }

  /** The units from `index` up to `to`, exclusive; by default to the newest. */
  from(index: number, to = this.end): readonly Unit[] {
    return this.units.slice(Math.max(this.base, index) - this.first, to - this.first);
  }

  /** The first critical unit at or after `index`; undefined if there is none, or if more than 1,000 are: those keep their place (R18). */
  criticalFrom(index: number): CriticalUnit | undefined {
    const { criticals } = this;
    if (index < this.criticalsFrom || index >= this.criticalEnd) return undefined;
    let [low, high] = [0, criticals.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((criticals[middle]?.index ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return criticals[low];
  }

  /** The units from `from` as one batch, of at most 256 units and no more after 64 KiB (R34). Equal requests share one object. */
  batch(from: number): SharedBatch | undefined {
    const { end, batches } = this;
    if (from >= end) return undefined;
    for (let place = batches.length - 1; place >= 0; place -= 1) {
      const known = batches[place];
      if (known?.from === from && (known.next === end ? known.isLast : known.isFull && !known.isLast)) return known;
    }
    let next = from;
    let isFull = false;
    const taken: Delivery[] = [];
    const mostWork = this.forms.wordWork + MOST_WORK_AT_ONCE;
    for (let bytes = 0; next < end && !isFull; next += 1) {
      const unit = this.units[next - this.first];
      if (unit === undefined) continue;
      taken.push(this.forms.deliveryOf(unit));
      bytes += unit.kind === "text" ? unit.text.length : eventSize(unit.rendered.entry);
      isFull = taken.length === BATCH_UNITS || bytes >= BATCH_BYTES || this.forms.wordWork >= mostWork;
    }
    const made = { from, next, batch: batchOf(taken), isFull, isLast: next === end };
    batches.push(made);
    if (batches.length > BATCHES_KEPT) batches.shift();
    return made;
  }

  /**
   * Joins the texts from `index` on, once for all subscriptions that held them back equally long; undefined if the unit there is no text. Ten
   * thousand subscriptions with the same budget then cost a few hundred joins and encodings a second (AAEP §5.9).
   */
  stretchFrom(index: number): TextStretch | undefined {
    const { stretches } = this;
    const begin = this.at(index);
    if (begin?.kind !== "text") return undefined;
    let { unit, next } = stretches.get(index) ?? { unit: begin, next: index + 1 };
    let isCutOff = false;
    for (; next < this.end; next += 1) {
      const last = this.at(next);
      const joined: TextUnit | undefined = last?.kind === "text" ? joinText(unit, last, this.maxChars) : undefined;
      isCutOff = joined === undefined && last?.kind === "text" && last.output === unit.output && !unit.complete;
      if (joined === undefined) break;
      unit = joined;
    }
    const stretch = { unit, next, isCutOff };
    // The one asked for last is forgotten last.
    stretches.delete(index);
    stretches.set(index, stretch);
    const [oldest] = stretches.keys();
    if (stretches.size > STRETCHES_KEPT && oldest !== undefined) stretches.delete(oldest);
    return stretch;
  }

  /** Drops the units before `index`. */
  drop(index: number): void {
    const next = Math.min(index, this.end);
    if (next <= this.base) return;
    this.base = next;
    const dead = next - this.first;
    if (dead * 2 >= this.units.length) {
      this.units = this.units.slice(dead);
      this.first = next;
    }
    // Batches hold encoded bytes. A batch whose beginning was dropped cannot be requested any more.
    for (let place = this.batches.length - 1; place >= 0; place -= 1)
      if ((this.batches[place]?.from ?? 0) < next) this.batches.splice(place, 1);
  }
}
