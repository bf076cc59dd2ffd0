// What one subscription does not get as it stands in its view, because of what it was given out of order, was given before, or does not want:
// critical events that went ahead, what those superseded, text below a floor, skipped outputs (R4, R10, R18, R26).
import { keepNewest } from "../../base/keep-newest.js";
import type { TextFloor } from "../catch-up/catch-up-point.js";
import { isOfKindSuperseded, laneOf, questionOf } from "../catch-up/superseded.js";
import { stateImpliedBy } from "../event/agent-states.js";
import { type DeliveredText, mayGoOn } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import { type EventUnit, isLocal, type TextUnit, trimBelow, type Unit } from "../views/unit.js";
import { createSupersededStates, type SupersededStates } from "./superseded-states.js";

/** Made when there is something to remember: nearly always there is not. */
export interface OutOfOrder {
  /** A unit as this subscription gets it, or undefined where there is nothing of it left to give. */
  readonly admit: (unit: Unit) => Unit | undefined;
  /** Forgets what was remembered for the sake of a unit that has now been taken. */
  readonly settle: (unit: Unit) => void;
  /** Remembers that a critical event went ahead of its place, or is not to be given; at most 1,000, the oldest is forgotten (R18). */
  readonly wentAhead: (epoch: Epoch) => void;
  readonly hasGoneAhead: (epoch: Epoch) => boolean;
  readonly aheadCount: () => number;
  /** A critical event makes what its agent's progress and states were before it old news (R4). */
  readonly supersede: (unit: EventUnit) => void;
  /** The states that were superseded. */
  readonly states: SupersededStates;
  /** Remembers a state that a critical event superseded, or an earlier one that went ahead and says more of it (R3a, R4). */
  readonly rememberState: (unit: EventUnit, critical: EventUnit) => void;
  /** Text of this output below its floor is not given. */
  readonly setFloor: (output: string, floor: TextFloor) => void;
  /** The same, unless its floor is higher already. */
  readonly raiseFloor: (output: string, floor: TextFloor) => void;
  readonly textFloors: ReadonlyMap<string, TextFloor>;
  /** Of this output only that it is complete is given; at most 1,000, the oldest is forgotten (R26). */
  readonly skip: (output: string) => void;
  readonly skipped: ReadonlySet<string>;
  /** Of outputs, by their digests, text was given further than of all others: each is known again by its first text (R17). */
  readonly setDelivered: (outputs: ReadonlyMap<string, DeliveredText>) => void;
  /** The outputs of these of which no text has come yet. */
  readonly unmet: () => ReadonlyMap<string, DeliveredText>;
  /**
   * Nothing that went ahead can come again, and no text from before but what is `held`. Floors stay for outputs that are open, and states until
   * their agent's next one.
   */
  readonly forgetPassed: (isOpen: (output: string) => boolean, held: () => readonly Pick<TextUnit, "output">[]) => void;
  /** Whether text can still come otherwise than it stands. */
  readonly concernsText: () => boolean;
  /** Epochs, outputs and agents remembered. */
  readonly count: () => number;
}

/** Most critical events that are remembered to have gone ahead (R18). */
export const AHEAD_LIMIT = 1000;
const SKIPPED_LIMIT = 1000;

/** Of one agent's critical events that went ahead: the newest, the newest that implies a state (R3a), and up to where its states have been told. */
interface Superseding {
  readonly latest: EventUnit;
  readonly implying: EventUnit | undefined;
  readonly toldTo: Epoch;
}

function superseding(latest: EventUnit, known: Superseding | undefined): Superseding {
  const { kind, epoch } = latest.entry;
  if (kind === "state.changed") return { latest, implying: undefined, toldTo: epoch };
  const implying = stateImpliedBy(kind) === undefined ? known?.implying : latest;
  return { latest, implying, toldTo: known?.toldTo ?? 0 };
}

function aboveFloor(unit: TextUnit, { position, epoch, deliveredEpoch }: TextFloor): TextUnit | undefined {
  const above = trimBelow(unit, position);
  if (above === undefined || above === unit) return above;
  return { ...above, deliveredEpoch, firstEpoch: Math.min(Math.max(unit.firstEpoch, epoch), unit.epoch) };
}

/** `completeSkipped` makes the empty chunk that completes a skipped output; `digestOf` is `outputDigest`. */
export function createOutOfOrder(
  completeSkipped: (unit: TextUnit) => TextUnit,
  collapsed: CollapsedEvent,
  digestOf: (output: string) => string,
): OutOfOrder {
  const ahead = new Set<Epoch>();
  // Per agent of a session: what supersedes its earlier progress and states, which are still to come.
  const superseded = new Map<string, Superseding>();
  const states = createSupersededStates(collapsed);
  // Questions of which it was told how they ended.
  const resolved = new Set<unknown>();
  const textFloors = new Map<string, TextFloor>();
  const skipped = new Set<string>();
  const unmet = new Map<string, DeliveredText>();

  const raiseFloor = (output: string, floor: TextFloor): void => {
    if (floor.position > (textFloors.get(output)?.position ?? -1)) textFloors.set(output, floor);
  };

  /** Text of an output has come: from here on it is known by its key. */
  const meet = (output: string): void => {
    const digest = digestOf(output);
    const given = unmet.get(digest);
    if (given === undefined) return;
    unmet.delete(digest);
    if (given.to === "end") skipped.add(output);
    else raiseFloor(output, { position: given.to, epoch: given.epoch, deliveredEpoch: given.epoch });
  };

  /** All that comes from now on and is not held yet stands above what was named; an output that is skipped may still come. */
  const meetLast = (held: () => readonly Pick<TextUnit, "output">[]): void => {
    const passed = [...unmet].filter(([, given]) => !mayGoOn(given));
    if (passed.length === 0) return;
    for (const { output } of held()) meet(output);
    for (const [digest] of passed) unmet.delete(digest);
  };

  /** The outputs of a session that is over have no more text. */
  const forgetSkips = (session: string): void => {
    for (const output of skipped) if (output.startsWith(`${session}/`)) skipped.delete(output);
  };

  const isOld = (unit: EventUnit): boolean =>
    isOfKindSuperseded(unit) && unit.epoch < (superseded.get(laneOf(unit))?.latest.epoch ?? 0);

  const rememberState = (unit: EventUnit, critical: EventUnit): void => {
    const { toldTo = 0, implying } = superseded.get(laneOf(unit)) ?? {};
    // A critical state that was told began where those before it did, as far as they were known.
    if (unit.epoch < toldTo) return;
    states.add(unit, implying !== undefined && unit.epoch < implying.epoch ? implying : critical);
  };

  return {
    states,
    rememberState,
    admit: (unit) => {
      if (unit.kind === "event") {
        if (isLocal(unit)) return unit;
        if (unit.entry.made === "notice" && resolved.has(questionOf(unit.entry.event))) return undefined;
        return ahead.has(unit.epoch) || isOld(unit) ? undefined : unit;
      }
      if (unmet.size > 0) meet(unit.output);
      if (skipped.has(unit.output)) return unit.complete ? completeSkipped(unit) : undefined;
      const floor = textFloors.get(unit.output);
      return floor === undefined ? unit : aboveFloor(unit, floor);
    },
    settle: (unit) => {
      if (unit.kind === "event") {
        if (isLocal(unit)) return;
        if (unit.terminal) forgetSkips(unit.session);
        const latest = superseded.get(laneOf(unit))?.latest;
        if (latest !== undefined && isOld(unit)) rememberState(unit, latest);
        if (!ahead.delete(unit.epoch)) return;
        if (latest?.epoch === unit.epoch) superseded.delete(laneOf(unit));
        return;
      }
      if (unit.complete) skipped.delete(unit.output);
      const floor = textFloors.get(unit.output);
      if (floor !== undefined && unit.endPosition >= floor.position) textFloors.delete(unit.output);
    },
    wentAhead: (epoch) => {
      ahead.add(epoch);
      keepNewest(ahead, AHEAD_LIMIT);
    },
    hasGoneAhead: (epoch) => ahead.has(epoch),
    aheadCount: () => ahead.size,
    supersede: (unit) => {
      const lane = laneOf(unit);
      const known = superseded.get(lane);
      if (known === undefined || known.latest.epoch < unit.epoch) superseded.set(lane, superseding(unit, known));
      if (unit.entry.made !== "resolution") return;
      resolved.add(questionOf(unit.entry.event));
      keepNewest(resolved, AHEAD_LIMIT);
    },
    setFloor: (output, floor) => void textFloors.set(output, floor),
    raiseFloor,
    textFloors,
    skip: (output) => {
      skipped.add(output);
      keepNewest(skipped, SKIPPED_LIMIT);
    },
    forgetPassed: (isOpen, held) => {
      meetLast(held);
      ahead.clear();
      superseded.clear();
      resolved.clear();
      for (const output of textFloors.keys()) if (!isOpen(output)) textFloors.delete(output);
    },
    skipped,
    setDelivered: (outputs) => {
      for (const [digest, to] of outputs) unmet.set(digest, to);
    },
    unmet: () => unmet,
    concernsText: () => textFloors.size > 0 || skipped.size > 0 || unmet.size > 0,
    count: () =>
      ahead.size + superseded.size + resolved.size + textFloors.size + skipped.size + unmet.size + states.count(),
  };
}
