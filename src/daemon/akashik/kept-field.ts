// The memory of the Field, as values of the journal's durable state.
import type { DurableState } from "../../contracts/journal.js";
import type { KeptField } from "../../protocols/akashik/field/field.js";
import type { FieldKept, KeptKind } from "../../protocols/akashik/field/field-types.js";

/** The first part of every key. */
const AKASHIK = "akashik";

export function createFieldKept(state: DurableState): FieldKept {
  return {
    put: (kind, key, value) => state.put([AKASHIK, kind, key], value),
    remove: (kind, key) => state.put([AKASHIK, kind, key], () => undefined),
  };
}

/** Whether an earlier boot has left a Field. */
export function hasKeptField(state: DurableState): boolean {
  for (const _ of state.recovered([AKASHIK])) return true;
  return false;
}

/** The Field of an earlier boot. Values have the form in which that boot wrote them. */
export function readKeptField(state: DurableState): KeptField {
  const all = <Value>(kind: KeptKind): readonly Value[] =>
    Array.from(state.recovered([AKASHIK, kind]), ([, value]) => value as Value);
  return {
    epoch: Math.max(0, ...all<number>("clock")),
    agents: all("agent"),
    units: all("unit"),
    conflicts: all("conflict"),
    subscriptions: all("subscription"),
    waiting: all("waiting"),
  };
}
