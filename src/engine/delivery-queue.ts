// What one subscription has been released and could not be given yet, in the order in which it will stand (R4, R10, R11, R30).
// Merging happens here, as late as possible. Rate and transport are the subscription's affair.

import type { Epoch } from "./event.js";
import { createLowestEpochs } from "./lowest-epochs.js";
import { encodedBytes, MAX_TEXT_BYTES, roomForText } from "./text-room.js";
import type { EventUnit, TextUnit, Unit } from "./unit.js";
import { agreeForMerging } from "./unit.js";

export interface DeliveryQueueOptions {
  /** Most units kept. At the limit `offer` refuses, and the subscription leaves the rest where it is. */
  readonly limit: number;
  /** Longest merged text, code points. */
  readonly maxChars: () => number;
  /** Makes the event of several collapsed state changes: the last, with the first's `from_state` (R11). */
  readonly collapseStates: (first: EventUnit, last: EventUnit) => EventUnit;
}

export interface DeliveryQueue {
  /** Takes a unit, joining it with what waits where `merging` is true. False: the queue is full and nothing was taken. */
  readonly offer: (unit: Unit, merging: boolean) => boolean;
  /** Takes what the daemon itself must say, full or not: there is never more of it than there are sessions. */
  readonly put: (unit: Unit) => void;
  /** The unit that stands first. */
  readonly head: () => Unit | undefined;
  readonly shift: () => Unit | undefined;
  readonly size: () => number;
  readonly ofSession: (session: string) => readonly Unit[];
  readonly all: () => readonly Unit[];
  /** Puts another unit, or none, in the place of each. */
  readonly replace: (replacement: (unit: Unit) => Unit | undefined) => void;
  /** Takes out what `match` picks, in order. */
  readonly remove: (match: (unit: Unit) => boolean) => readonly Unit[];
  /** The lowest epoch that waits here, or undefined. */
  readonly lowest: () => Epoch | undefined;
}

interface Entry {
  readonly unit: Unit;
  /** When its first constituent came, as a count: age decides who may not be passed any longer. */
  readonly age: number;
  /** Grows no more, so that what keeps growing behind it cannot pass it for ever. */
  closed: boolean;
}

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  let entries: Entry[] = [];
  const byAge = new Map<number, Entry>();
  const epochs = createLowestEpochs((entry: Entry) => entry.unit.firstEpoch);
  let arrivals = 0;
  // None that waits is older than this.
  let oldestAge = 1;

  const enter = (entry: Entry): void => {
    entries.push(entry);
    byAge.set(entry.age, entry);
    epochs.add(entry);
  };

  /** To be told of each that is taken out of the order. */
  const left = (entry: Entry): void => {
    byAge.delete(entry.age);
    epochs.remove(entry);
  };

  const partnerOf = (unit: Unit): number => {
    if (
      unit.kind === "event" &&
      unit.role !== "progress" &&
      unit.role !== "state" &&
      unit.role !== "background-state"
    ) {
      return -1;
    }
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
  };

  const join = (first: Unit, last: Unit): Unit | "nothing" | undefined => {
    if (first.kind === "text" && last.kind === "text") return joinText(first, last, options.maxChars());
    if (first.kind === "event" && last.kind === "event") {
      if (last.role === "progress") return { ...last, firstEpoch: first.firstEpoch };
      const collapsed = options.collapseStates(first, last);
      return collapsed.delivery.event.from_state === collapsed.delivery.event.to_state ? "nothing" : collapsed;
    }
    return undefined;
  };

  const offer = (unit: Unit, merging: boolean): boolean => {
    if (merging) {
      const index = partnerOf(unit);
      const partner = entries[index];
      const joined = partner === undefined ? undefined : join(partner.unit, unit);
      if (partner !== undefined && joined !== undefined) {
        entries.splice(index, 1);
        left(partner);
        if (joined !== "nothing") enter({ unit: joined, age: partner.age, closed: false });
        return true;
      }
    }
    if (entries.length >= options.limit) return false;
    put(unit);
    return true;
  };

  const put = (unit: Unit): void => {
    arrivals += 1;
    enter({ unit, age: arrivals, closed: false });
  };

  const closeOldest = (): void => {
    // A merged unit stands where its last part came (R30). Whatever has waited longest without standing first now stays where it is.
    while (oldestAge < arrivals && !byAge.has(oldestAge)) oldestAge += 1;
    const oldest = byAge.get(oldestAge);
    if (oldest !== undefined) oldest.closed = true;
  };

  return {
    offer,
    put,
    head: () => entries[0]?.unit,
    shift: () => {
      if (entries.length > 1) closeOldest();
      const first = entries.shift();
      if (first !== undefined) left(first);
      return first?.unit;
    },
    size: () => entries.length,
    ofSession: (session) => entries.filter((entry) => entry.unit.session === session).map((entry) => entry.unit),
    all: () => entries.map(({ unit }) => unit),
    replace: (replacement) => {
      const replaced = entries.map((entry) => ({ entry, unit: replacement(entry.unit) }));
      entries = [];
      for (const { entry, unit } of replaced) {
        left(entry);
        if (unit !== undefined) enter({ ...entry, unit });
      }
    },
    remove: (match) => {
      const taken = entries.filter(({ unit }) => match(unit));
      if (taken.length === 0) return [];
      const gone = new Set(taken);
      entries = entries.filter((entry) => !gone.has(entry));
      taken.forEach(left);
      return taken.map(({ unit }) => unit);
    },
    lowest: epochs.lowest,
  };
}

/** Whether two units of one session belong to the same sequence that can merge: an output's text, an agent's progress, an agent's states. */
function isSameLane(a: Unit, b: Unit): boolean {
  if (a.kind === "text" || b.kind === "text") return a.kind === "text" && b.kind === "text" && a.output === b.output;
  if (a.agent !== b.agent) return false;
  if (b.role === "progress") return a.role === "progress";
  return isState(a) && isState(b);
}

/** Whether `unit` may not move past `other`, which stands before it in the same session (R11, R30). */
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

/** Two texts as one; undefined where they do not follow one another, do not agree, or would be too long. */
export function joinText(first: TextUnit, last: TextUnit, maxChars: number): TextUnit | undefined {
  if (
    !first.mergeable ||
    !last.mergeable ||
    first.complete ||
    first.output !== last.output ||
    first.endPosition !== last.position
  )
    return undefined;
  if (last.endPosition - first.position > maxChars) return undefined;
  const textBytes = textBytesOf(first) + textBytesOf(last);
  if (textBytes > MAX_TEXT_BYTES / 4 && textBytes > roomOf(first)) return undefined;
  if (!agreeForMerging(first.base, last.base)) return undefined;
  // A literal: this runs for every part of every subscriber's text, and a spread costs ten times as much.
  return {
    kind: "text",
    session: last.session,
    agent: last.agent,
    at: last.at,
    firstEpoch: first.firstEpoch,
    epoch: last.epoch,
    low: last.low,
    output: last.output,
    position: first.position,
    endPosition: last.endPosition,
    text: first.text + last.text,
    textBytes,
    textRoom: first.textRoom,
    hint: last.hint,
    complete: last.complete,
    timestamp: last.timestamp,
    base: first.base,
    mergeable: last.mergeable,
    verbatim: undefined,
  };
}

function textBytesOf(unit: TextUnit): number {
  unit.textBytes ??= encodedBytes(unit.text);
  return unit.textBytes;
}

function roomOf(unit: TextUnit): number {
  unit.textRoom ??= roomForText(unit.base);
  return unit.textRoom;
}
