// The memory units of the Field: kept one by one, never let go of. Only the status of a unit changes.
import type { FieldKept, MemoryUnit, Subject, UnitStatus } from "./field-types.js";
import { wordsOf } from "./words.js";

/** A unit and its subject. The words of the subject are made when they are first asked for, and once. */
export interface HeldUnit {
  readonly unit: MemoryUnit;
  readonly subject: Subject;
}

export interface Units {
  readonly add: (unit: MemoryUnit) => HeldUnit;
  readonly get: (id: string) => HeldUnit | undefined;
  readonly setStatus: (id: string, status: UnitStatus) => HeldUnit;
  readonly count: () => number;
  /** The units at or after an epoch, newest first. */
  readonly since: (epoch: number) => readonly HeldUnit[];
}

/** `kept`: the units of an earlier boot, in any order. */
export function createUnits(store: FieldKept, kept: readonly MemoryUnit[]): Units {
  const byId = new Map<string, HeldUnit>();
  /** Ascending by epoch. */
  const order: string[] = [];

  const hold = (unit: MemoryUnit, subject = subjectOf(unit)): HeldUnit => {
    const held = { unit, subject };
    byId.set(unit.id, held);
    return held;
  };
  const save = (id: string): void => store.put("unit", id, () => byId.get(id)?.unit);
  for (const unit of [...kept].sort((one, other) => one.epoch - other.epoch)) {
    hold(unit);
    order.push(unit.id);
  }

  return {
    add: (unit) => {
      order.push(unit.id);
      save(unit.id);
      return hold(unit);
    },
    get: (id) => byId.get(id),
    setStatus: (id, status) => {
      const held = byId.get(id);
      if (held === undefined) throw new Error(`There is no unit ${id}.`);
      save(id);
      return hold({ ...held.unit, status }, held.subject);
    },
    count: () => byId.size,
    since: (epoch) => {
      const units: HeldUnit[] = [];
      for (let place = order.length - 1; place >= 0; place -= 1) {
        const held = byId.get(order[place] ?? "");
        if (held === undefined || held.unit.epoch < epoch) break;
        units.push(held);
      }
      return units;
    },
  };
}

function subjectOf({ type, content, intent }: MemoryUnit): Subject {
  let words: ReadonlySet<string> | undefined;
  return {
    kind: type,
    get words() {
      // The content comes first, because the number of words is limited.
      words ??= wordsOf(content, intent.purpose, intent.question ?? "");
      return words;
    },
  };
}
