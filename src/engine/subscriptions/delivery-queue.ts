// The units that were released to one subscription and have not left, in the order in which they will leave (R4, R10, R11, R30). Merging happens
// here, as late as possible. Rate and transport are not known here.
import { AAEPD } from "../event/vocabulary.js";
import { joinText } from "../views/merged-events.js";
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

export class DeliveryQueue {
  private readonly owner: DeliveryQueueOwner;
  /** The units that wait, in the order in which they will leave. */
  entries: Entry[] = [];
  private arrivals = 0;

  constructor(owner: DeliveryQueueOwner) {
    this.owner = owner;
  }

  /** Takes a unit, even if the queue is full. With `mayMerge` it joins a waiting unit if possible. */
  put(unit: Unit, mayMerge = false): void {
    const { entries, owner } = this;
    const index = mayMerge ? partnerOf(unit, entries) : -1;
    const partner = entries[index];
    const joined = partner === undefined ? undefined : this.join(partner.unit, unit);
    if (partner === undefined || joined === undefined) {
      this.arrivals += 1;
      entries.push({ unit, age: this.arrivals, closed: false });
      return;
    }
    entries.splice(index, 1);
    owner.counts.merged += joined === "nothing" ? 2 : 1;
    if (joined !== "nothing") entries.push({ unit: joined, age: partner.age, closed: false });
  }

  head(): Unit | undefined {
    return this.entries[0]?.unit;
  }

  shift(): Unit | undefined {
    this.closeOldest();
    return this.entries.shift()?.unit;
  }

  /** Whether units of the source stay where they are for now. */
  isFull(): boolean {
    return this.entries.length >= this.owner.limit;
  }

  all(): readonly Unit[] {
    return this.entries.map(({ unit }) => unit);
  }

  /** Replaces each unit by the result of `replacement`; removes the unit if that is undefined. */
  replace(replacement: (unit: Unit) => Unit | undefined): void {
    this.entries = this.entries.flatMap((entry) => {
      const unit = replacement(entry.unit);
      return unit === undefined ? [] : [{ ...entry, unit }];
    });
  }

  /** Removes the units that match, and returns them in order. */
  remove(match: (unit: Unit) => boolean): readonly Unit[] {
    const taken = new Set(this.all().filter(match));
    if (taken.size > 0) this.entries = this.entries.filter(({ unit }) => !taken.has(unit));
    return [...taken];
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
    let [oldest] = this.entries;
    for (const entry of this.entries) if (oldest !== undefined && entry.age < oldest.age) oldest = entry;
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
