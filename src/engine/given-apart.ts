// What one subscription does not get as it stands in its view, because of what it was given out of order, was given before, or does not want:
// critical events that went ahead, what those superseded, text below a floor, skipped outputs (R4, R10, R18, R26).
import type { Epoch } from "./event.js";
import { keepNewest } from "./keep-newest.js";
import { isOfKindSuperseded, laneOf } from "./superseded.js";
import type { EventUnit, TextUnit, Unit } from "./unit.js";
import { isLocal, trimBelow } from "./unit.js";

/** Made when there is something to remember: nearly always there is not. */
export interface GivenApart {
  /** A unit as this subscription gets it, or undefined where there is nothing of it left to give. */
  readonly admit: (unit: Unit) => Unit | undefined;
  /** Forgets what was remembered for the sake of a unit that has now been taken. */
  readonly settle: (unit: Unit) => void;
  /** Remembers that a critical event went ahead of its place; at most 1,000, the oldest is forgotten (R18). */
  readonly wentAhead: (unit: EventUnit) => void;
  readonly hasGoneAhead: (epoch: Epoch) => boolean;
  readonly aheadCount: () => number;
  /** A critical event makes what its agent's progress and states were before it old news (R4). */
  readonly supersede: (unit: EventUnit) => void;
  /** Text below `position` of this output is not given. */
  readonly setFloor: (output: string, position: number) => void;
  readonly floors: ReadonlyMap<string, number>;
  /** Of this output only that it is complete is given; at most 1,000, the oldest is forgotten (R26). */
  readonly skip: (output: string) => void;
  /** Nothing that went ahead can come again. Floors stay for outputs that are `open`. */
  readonly forgetPassed: (isOpen: (output: string) => boolean) => void;
  /** Whether text can still come otherwise than it stands. */
  readonly concernsText: () => boolean;
  /** Epochs, outputs and agents remembered. */
  readonly count: () => number;
}

/** Most critical events that are remembered to have gone ahead (R18). */
export const AHEAD_LIMIT = 1000;
const SKIPPED_LIMIT = 1000;

/** `completeSkipped` makes the empty chunk that completes a skipped output. */
export function createGivenApart(completeSkipped: (unit: TextUnit) => TextUnit): GivenApart {
  const ahead = new Set<Epoch>();
  // Per agent of a session: the critical event that supersedes its earlier progress and states, and how far back they are still to come.
  const superseded = new Map<string, Epoch>();
  const floors = new Map<string, number>();
  const skipped = new Set<string>();

  return {
    admit: (unit) => {
      if (unit.kind === "event") {
        if (isLocal(unit)) return unit;
        if (ahead.has(unit.epoch)) return undefined;
        return isOfKindSuperseded(unit) && unit.epoch < (superseded.get(laneOf(unit)) ?? 0) ? undefined : unit;
      }
      if (skipped.has(unit.output)) return unit.complete ? completeSkipped(unit) : undefined;
      const floor = floors.get(unit.output);
      return floor === undefined ? unit : trimBelow(unit, floor);
    },
    settle: (unit) => {
      if (unit.kind === "event") {
        if (isLocal(unit) || !ahead.delete(unit.epoch)) return;
        if (superseded.get(laneOf(unit)) === unit.epoch) superseded.delete(laneOf(unit));
        return;
      }
      if (unit.complete) skipped.delete(unit.output);
      const floor = floors.get(unit.output);
      if (floor !== undefined && unit.endPosition >= floor) floors.delete(unit.output);
    },
    wentAhead: (unit) => {
      ahead.add(unit.epoch);
      keepNewest(ahead, AHEAD_LIMIT);
    },
    hasGoneAhead: (epoch) => ahead.has(epoch),
    aheadCount: () => ahead.size,
    supersede: (unit) => {
      const lane = laneOf(unit);
      superseded.set(lane, Math.max(unit.epoch, superseded.get(lane) ?? 0));
    },
    setFloor: (output, position) => void floors.set(output, position),
    floors,
    skip: (output) => {
      skipped.add(output);
      keepNewest(skipped, SKIPPED_LIMIT);
    },
    forgetPassed: (isOpen) => {
      ahead.clear();
      superseded.clear();
      for (const output of floors.keys()) if (!isOpen(output)) floors.delete(output);
    },
    concernsText: () => floors.size > 0 || skipped.size > 0,
    count: () => ahead.size + superseded.size + floors.size + skipped.size,
  };
}
