// The units that were released to one subscription and have not left, in the order in which they will leave (R4, R10, R11, R30). Merging happens
// here, as late as possible. Rate and transport are not known here.
import { AAEPD } from "../event/vocabulary.js";
import { joinText } from "../views/join-text.js";
import type { EventUnit, Unit } from "../views/unit.js";
import type { RunningCounts } from "./subscription-spec.js";

/** The subscription of a queue. */
export interface DeliveryQueueOwner {
  /** Most units in the queue that come from the source. */
  readonly limit: number;
  /** Longest merged text, in code points. */
  readonly maxChars: number;
  /** Counts units that do not leave by themselves: a unit that joined another, or two that cancelled each other. */
  readonly counts: Pick<RunningCounts, "merged">;
  /** Collapses state changes of one agent: the last one, with the `from_state` of the first (R11). */
  readonly collapseStates: (first: EventUnit, last: EventUnit) => EventUnit;
}

interface Entry {
  readonly unit: Unit;
  /** Number of the arrival of the unit's first part. By age, the queue decides which unit stops growing. */
  readonly age: number;
  /** A closed unit grows no more, so that growing units behind it cannot overtake it for ever. */
  closed: boolean;
}

/** A class, because there is one for each subscription. The maps are made with the first unit. */
export class DeliveryQueue {
  /** Number of units in the queue. */
  size = 0;
  private readonly owner: DeliveryQueueOwner;
  private entries: Entry[] | undefined;
  private byAge: Map<number, Entry> | undefined;
  private arrivals = 0;
  // Lower bound of the ages in the queue.
  private oldestAge = 1;

  constructor(owner: DeliveryQueueOwner) {
    this.owner = owner;
  }

  /** Takes a unit, even if the queue is full. With `mayMerge` it joins a waiting unit if possible. */
  put(unit: Unit, mayMerge = false): void {
    const { entries, owner } = this;
    const index = mayMerge && entries !== undefined ? partnerOf(unit, entries) : -1;
    const partner = entries?.[index];
    const joined = partner === undefined ? undefined : this.join(partner.unit, unit);
    if (partner === undefined || joined === undefined) {
      this.arrivals += 1;
      this.enter({ unit, age: this.arrivals, closed: false });
      return;
    }
    entries?.splice(index, 1);
    this.left(partner);
    owner.counts.merged += joined === "nothing" ? 2 : 1;
    if (joined !== "nothing") this.enter({ unit: joined, age: partner.age, closed: false });
  }

  head(): Unit | undefined {
    return this.entries?.[0]?.unit;
  }

  shift(): Unit | undefined {
    if (this.entries === undefined) return undefined;
    if (this.entries.length > 1) this.closeOldest();
    const first = this.entries.shift();
    if (first !== undefined) this.left(first);
    return first?.unit;
  }

  /** Whether units of the source stay where they are for now. */
  isFull(): boolean {
    return this.size >= this.owner.limit;
  }

  all(): readonly Unit[] {
    return this.entries?.map(({ unit }) => unit) ?? [];
  }

  /** Replaces each unit by the result of `replacement`; removes the unit if that is undefined. */
  replace(replacement: (unit: Unit) => Unit | undefined): void {
    const replaced = (this.entries ?? []).map((entry) => ({ entry, unit: replacement(entry.unit) }));
    this.entries = undefined;
    for (const { entry, unit } of replaced) {
      this.left(entry);
      if (unit !== undefined) this.enter({ ...entry, unit });
    }
  }

  /** Removes the units that match, and returns them in order. */
  remove(match: (unit: Unit) => boolean): readonly Unit[] {
    const { entries = [] } = this;
    const taken = entries.filter(({ unit }) => match(unit));
    if (taken.length === 0) return [];
    const gone = new Set(taken);
    this.entries = entries.filter((entry) => !gone.has(entry));
    for (const entry of taken) this.left(entry);
    return taken.map(({ unit }) => unit);
  }

  private enter(entry: Entry): void {
    this.entries ??= [];
    this.byAge ??= new Map();
    this.entries.push(entry);
    this.size += 1;
    this.byAge.set(entry.age, entry);
  }

  /** Call for each entry that is removed from the order. */
  private left(entry: Entry): void {
    this.byAge?.delete(entry.age);
    this.size -= 1;
  }

  private join(first: Unit, last: Unit): Unit | "nothing" | undefined {
    if (first.kind === "text" && last.kind === "text") return joinText(first, last, this.owner.maxChars);
    if (first.kind === "event" && last.kind === "event") {
      if (last.role === "progress") return last;
      const collapsed = this.owner.collapseStates(first, last);
      const { event } = collapsed.rendered.entry;
      return event.from_state === event.to_state ? "nothing" : collapsed;
    }
    return undefined;
  }

  private closeOldest(): void {
    // A merged unit moves to the place of its newest part (R30). The unit that has waited longest without being first is closed, and so keeps its
    // place.
    while (this.oldestAge < this.arrivals && this.byAge?.has(this.oldestAge) !== true) this.oldestAge += 1;
    const oldest = this.byAge?.get(this.oldestAge);
    if (oldest !== undefined) oldest.closed = true;
  }
}

/** The index of the entry that the unit can join; -1 if there is none. */
function partnerOf(unit: Unit, entries: readonly Entry[]): number {
  if (unit.kind === "event" && unit.role !== "progress" && unit.role !== "state" && unit.role !== "background-state")
    return -1;
  let passedText = false;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry === undefined || entry.unit.session !== unit.session) continue;
    const other = entry.unit;
    if (isSameLane(other, unit)) {
      if (entry.closed) return -1;
      if (!passedText) return index;
      return isQuietState(other) && isQuietState(unit) ? index : -1;
    }
    if (blocks(other, unit)) return -1;
    if (other.kind === "text") passedText = unit.kind === "event" && unit.role !== "progress";
  }
  return -1;
}

/** The tool call that a progress is about; undefined if it is about its session (R5c). */
function callOf({ rendered }: EventUnit): unknown {
  return rendered.entry.event.extensions?.[AAEPD]?.tool_call_id;
}

/** Whether two units of one session may merge: of an output's text, of an agent's or a call's progress, or of an agent's states. */
function isSameLane(a: Unit, b: Unit): boolean {
  if (a.kind === "text" || b.kind === "text") return a.kind === "text" && b.kind === "text" && a.output === b.output;
  if (a.agent !== b.agent) return false;
  if (b.role === "progress") return a.role === "progress" && callOf(a) === callOf(b);
  return isState(a) && isState(b);
}

/** Whether `unit` may not overtake `other`, an earlier unit of the same session (R11, R30). */
function blocks(other: Unit, unit: Unit): boolean {
  if (other.kind === "text") return false;
  if (other.role === "gate") return true;
  if (unit.kind === "text") return other.role !== "progress" && other.role !== "background-state";
  if (unit.role === "progress") return false;
  return (other.role === "plain" || other.role === "critical") && other.agent === unit.agent;
}

function isState(unit: EventUnit): boolean {
  return unit.role === "state" || unit.role === "background-state";
}

function isQuietState(unit: Unit): boolean {
  return unit.kind === "event" && unit.role === "background-state";
}
