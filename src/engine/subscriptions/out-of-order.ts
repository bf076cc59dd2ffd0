// The units of a view that one subscription gets changed, or does not get: critical events that went ahead, units that these superseded, text that
// was delivered before, skipped outputs (R4, R10, R18, R26).
import { keepNewest } from "../../base/keep-newest.js";
import type { TextFloor } from "../catch-up/catch-up-point.js";
import { isOfKindSuperseded, laneOf, questionOf } from "../catch-up/superseded.js";
import { stateImpliedBy } from "../event/agent-states.js";
import { type DeliveredText, mayGoOn } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import { type EventUnit, isLocal, type TextUnit, trimBelow, type Unit } from "../views/unit.js";
import { createSupersededStates, type SupersededStates } from "./superseded-states.js";

/** The record of such units. It exists only while there is something to remember, which is rare. */
export interface OutOfOrder {
  /** The form in which this subscription gets a unit; undefined if nothing of it is left. */
  readonly admit: (unit: Unit) => Unit | undefined;
  /** Forgets what was remembered for a unit that has now been taken. */
  readonly settle: (unit: Unit) => void;
  /** Remembers that a critical event went ahead of its place, or is not delivered. Beyond 1,000 events, the oldest is forgotten (R18). */
  readonly wentAhead: (epoch: Epoch) => void;
  readonly hasGoneAhead: (epoch: Epoch) => boolean;
  readonly aheadCount: () => number;
  /** Remembers that a critical event makes its agent's earlier progress and states outdated (R4). */
  readonly supersede: (unit: EventUnit) => void;
  /** The superseded states. */
  readonly states: SupersededStates;
  /**
   * Remembers a superseded state, together with the critical event; or with an earlier critical event that implies more about the state (R3a, R4).
   */
  readonly rememberState: (unit: EventUnit, critical: EventUnit) => void;
  /** Sets the floor of an output: its text below is not delivered. */
  readonly setFloor: (output: string, floor: TextFloor) => void;
  /** Sets the floor of an output unless it has a higher one. */
  readonly raiseFloor: (output: string, floor: TextFloor) => void;
  readonly textFloors: ReadonlyMap<string, TextFloor>;
  /** Skips an output: only its completion is delivered. Beyond 1,000 outputs, the oldest is forgotten (R26). */
  readonly skip: (output: string) => void;
  readonly skipped: ReadonlySet<string>;
  /** Sets the outputs, by digest, of which more text was delivered than the place says. Each is recognized by its first text (R17). */
  readonly setDelivered: (outputs: ReadonlyMap<string, DeliveredText>) => void;
  /** The outputs set by `setDelivered` that have not appeared yet. */
  readonly unmet: () => ReadonlyMap<string, DeliveredText>;
  /**
   * Forgets the critical events that went ahead, since none of them can come again, and floors of outputs that are not open. States stay until their
   * agent's next one.
   */
  readonly forgetPassed: (isOpen: (output: string) => boolean, held: () => readonly Pick<TextUnit, "output">[]) => void;
  /** Whether any text may be delivered in another form than in the view. */
  readonly concernsText: () => boolean;
  /** Number of epochs, outputs and agents remembered. */
  readonly count: () => number;
}

/** Most critical events remembered that went ahead (R18). */
export const AHEAD_LIMIT = 1000;
const SKIPPED_LIMIT = 1000;

/**
 * One agent's critical events that went ahead: the newest, the newest that implies a state (R3a), and the epoch up to which its states were reported.
 */
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

/** `completeSkipped` makes the empty chunk that completes a skipped output. `digestOf` is `outputDigest`. */
export function createOutOfOrder(
  completeSkipped: (unit: TextUnit) => TextUnit,
  collapsed: CollapsedEvent,
  digestOf: (output: string) => string,
): OutOfOrder {
  const ahead = new Set<Epoch>();
  // Per agent of a session, the event that supersedes earlier progress and states, which are still to come.
  const superseded = new Map<string, Superseding>();
  const states = createSupersededStates(collapsed);
  // Questions whose resolution was delivered.
  const resolved = new Set<unknown>();
  const textFloors = new Map<string, TextFloor>();
  const skipped = new Set<string>();
  const unmet = new Map<string, DeliveredText>();

  const raiseFloor = (output: string, floor: TextFloor): void => {
    if (floor.position > (textFloors.get(output)?.position ?? -1)) textFloors.set(output, floor);
  };

  /** Recognizes an output by its first text. From then on it is known by its key. */
  const meet = (output: string): void => {
    const digest = digestOf(output);
    const given = unmet.get(digest);
    if (given === undefined) return;
    unmet.delete(digest);
    if (given.to === "end") skipped.add(output);
    else raiseFloor(output, { position: given.to, epoch: given.epoch, deliveredEpoch: given.epoch });
  };

  /** Drops the named outputs whose remaining text is above the named position. An output that is skipped may still come. */
  const meetLast = (held: () => readonly Pick<TextUnit, "output">[]): void => {
    const passed = [...unmet].filter(([, given]) => !mayGoOn(given));
    if (passed.length === 0) return;
    for (const { output } of held()) meet(output);
    for (const [digest] of passed) unmet.delete(digest);
  };

  /** Forgets the skipped outputs of a session that has ended. */
  const forgetSkips = (session: string): void => {
    for (const output of skipped) if (output.startsWith(`${session}/`)) skipped.delete(output);
  };

  const isOld = (unit: EventUnit): boolean =>
    isOfKindSuperseded(unit) && unit.epoch < (superseded.get(laneOf(unit))?.latest.epoch ?? 0);

  const rememberState = (unit: EventUnit, critical: EventUnit): void => {
    const { toldTo = 0, implying } = superseded.get(laneOf(unit)) ?? {};
    // A critical state that was delivered began where the states before it began, as far as they were known.
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
