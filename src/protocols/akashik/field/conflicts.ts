// The conflicts of the Field, and how MERGE resolves them (Akashik companion).
import type { MergeRequest } from "../messages/requests.js";
import type { Conflict, FieldKept, MemoryUnit } from "./field-types.js";

export interface Conflicts {
  readonly get: (id: string) => Conflict | undefined;
  readonly put: (conflict: Conflict) => void;
  /** At most so many: first the conflicts that are not resolved, then the resolved ones, each the newest first. */
  readonly newest: (most: number) => readonly Conflict[];
  /** Whether a conflict that is not resolved contests the unit. */
  readonly isContested: (unitId: string) => boolean;
  readonly count: () => number;
}

/** `kept`: the conflicts of an earlier boot, in any order. */
export function createConflicts(store: FieldKept, kept: readonly Conflict[]): Conflicts {
  const byId = new Map<string, Conflict>();
  /** Ids, ascending by age. */
  const order: string[] = [];
  const unresolved = new Set<string>();
  /** How many conflicts that are not resolved contest each unit. */
  const contests = new Map<string, number>();

  const count = ({ unit_a: first, unit_b: second, status }: Conflict, by: number): void => {
    if (status === "resolved") return;
    for (const unit of [first, second]) {
      const now = (contests.get(unit) ?? 0) + by;
      if (now === 0) contests.delete(unit);
      else contests.set(unit, now);
    }
  };
  const hold = (conflict: Conflict): void => {
    const before = byId.get(conflict.id);
    if (before === undefined) order.push(conflict.id);
    else count(before, -1);
    byId.set(conflict.id, conflict);
    if (conflict.status === "resolved") unresolved.delete(conflict.id);
    else unresolved.add(conflict.id);
    count(conflict, 1);
  };
  for (const conflict of [...kept].sort((one, other) => one.epoch - other.epoch)) hold(conflict);

  return {
    get: (id) => byId.get(id),
    put: (conflict) => {
      hold(conflict);
      store.put("conflict", conflict.id, () => byId.get(conflict.id));
    },
    newest: (most) => {
      const open = [...unresolved].slice(-most).reverse();
      const resolved: Conflict[] = [];
      for (let place = order.length - 1; place >= 0 && open.length + resolved.length < most; place -= 1) {
        const conflict = byId.get(order[place] ?? "");
        if (conflict?.status === "resolved") resolved.push(conflict);
      }
      return [...open.flatMap((id) => byId.get(id) ?? []), ...resolved];
    },
    isContested: (unitId) => contests.has(unitId),
    count: () => byId.size,
  };
}

export type Decision =
  | { readonly kind: "winner"; readonly winnerId: string }
  /** A person has to decide. */
  | { readonly kind: "escalated" }
  | { readonly kind: "refused"; readonly sentence: string };

/** Decides a conflict that is not resolved. Pure. */
export function decide(conflict: Conflict, units: readonly [MemoryUnit, MemoryUnit], request: MergeRequest): Decision {
  const { strategy, winnerId } = request;
  if (conflict.status === "resolved") return refused("The conflict is resolved already.");
  if (winnerId !== null && units.every(({ id }) => id !== winnerId))
    return refused("`resolution.winner_id` is none of the units of the conflict.");
  if (winnerId !== null && (standing(units)?.id ?? winnerId) !== winnerId)
    return refused("The unit of `resolution.winner_id` is superseded, and the other one is not.");
  if (strategy === "human_escalation") return winnerId === null ? { kind: "escalated" } : { kind: "winner", winnerId };
  if (conflict.status === "escalated")
    return refused("A person decides this conflict. Merge it by human_escalation, with the person's winner_id.");
  const winner = standing(units) ?? (strategy === "last_write_wins" ? later(...units) : surer(...units));
  if (winnerId !== null && winnerId !== winner.id)
    return refused(`By ${strategy} the winner is ${winner.id}. Leave winner_id out, or merge by human_escalation.`);
  return { kind: "winner", winnerId: winner.id };
}

/** The unit that is not superseded, if the other one is. */
function standing([one, other]: readonly [MemoryUnit, MemoryUnit]): MemoryUnit | undefined {
  if (one.status === "superseded" && other.status !== "superseded") return other;
  return other.status === "superseded" && one.status !== "superseded" ? one : undefined;
}

function refused(sentence: string): Decision {
  return { kind: "refused", sentence };
}

function later(one: MemoryUnit, other: MemoryUnit): MemoryUnit {
  return one.epoch >= other.epoch ? one : other;
}

/** The unit with the higher score, the later of equals. A unit without a score has 0. */
function surer(one: MemoryUnit, other: MemoryUnit): MemoryUnit {
  const difference = (one.confidence.score ?? 0) - (other.confidence.score ?? 0);
  if (difference === 0) return later(one, other);
  return difference > 0 ? one : other;
}
