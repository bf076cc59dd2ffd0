// What one subscription has been released and could not be given yet, in the order in which it will stand (R4, R10, R11, R30).
// Merging happens here, as late as possible. Rate and transport are the subscription's affair.

import type { Epoch } from "./event.js";
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
  unit: Unit;
  /** When its first constituent came, as a count: age decides who may not be passed any longer. */
  readonly age: number;
  /** Grows no more, so that what keeps growing behind it cannot pass it for ever. */
  closed: boolean;
}

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const entries: Entry[] = [];
  let arrivals = 0;

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
        if (joined !== "nothing") entries.push({ unit: joined, age: partner.age, closed: false });
        return true;
      }
    }
    if (entries.length >= options.limit) return false;
    put(unit);
    return true;
  };

  const put = (unit: Unit): void => {
    arrivals += 1;
    entries.push({ unit, age: arrivals, closed: false });
  };

  const closeOldest = (): void => {
    // A merged unit stands where its last part came (R30). Whatever has waited longest without standing first now stays where it is.
    let oldest = entries[0];
    for (const entry of entries) if (oldest === undefined || entry.age < oldest.age) oldest = entry;
    if (oldest !== undefined) oldest.closed = true;
  };

  return {
    offer,
    put,
    head: () => entries[0]?.unit,
    shift: () => {
      if (entries.length > 1) closeOldest();
      return entries.shift()?.unit;
    },
    size: () => entries.length,
    ofSession: (session) => entries.filter((entry) => entry.unit.session === session).map((entry) => entry.unit),
    all: () => entries.map(({ unit }) => unit),
    replace: (replacement) => {
      for (let index = 0; index < entries.length; ) {
        const entry = entries[index];
        const next = entry === undefined ? undefined : replacement(entry.unit);
        if (entry === undefined || next === undefined) entries.splice(index, 1);
        else {
          entry.unit = next;
          index += 1;
        }
      }
    },
    remove: (match) => {
      const taken: Unit[] = [];
      for (let index = 0; index < entries.length; ) {
        const entry = entries[index];
        if (entry !== undefined && match(entry.unit)) {
          taken.push(entry.unit);
          entries.splice(index, 1);
        } else index += 1;
      }
      return taken;
    },
    lowest: () => {
      let lowest: Epoch | undefined;
      for (const { unit } of entries) if (lowest === undefined || unit.firstEpoch < lowest) lowest = unit.firstEpoch;
      return lowest;
    },
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
