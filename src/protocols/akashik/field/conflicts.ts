// The conflicts of the Field, and how MERGE resolves them (Akashik companion).
import type { AkashikMergeRequest } from "#gen/akashik/types.js";
import { Refused } from "../messages/error-codes.js";
import type { Conflict, FieldKept, MemoryUnit } from "./field-types.js";

export class Conflicts {
  private readonly store: FieldKept;
  private readonly byId = new Map<string, Conflict>();
  /** Ids, each ascending: by age, and by the instant of the resolution. */
  private readonly unresolved: string[] = [];
  private readonly resolved: string[] = [];
  /** How many unresolved conflicts contest a unit, by its id. */
  private readonly contested = new Map<string, number>();

  /** `kept`: the conflicts of an earlier boot, in any order. */
  constructor(store: FieldKept, kept: readonly Conflict[]) {
    this.store = store;
    const epochOf = ({ epoch, resolution }: Conflict): number => resolution?.epoch ?? epoch;
    for (const conflict of [...kept].sort((one, other) => epochOf(one) - epochOf(other))) this.hold(conflict);
  }

  get(id: string): Conflict | undefined {
    return this.byId.get(id);
  }

  put(conflict: Conflict): void {
    const { id } = conflict;
    this.hold(conflict);
    this.store.put("conflict", id, () => this.byId.get(id));
  }

  /** At most so many: first the conflicts that are not resolved, the newest first, then the others, the last resolved first. */
  newest(most: number): readonly Conflict[] {
    const ids = [...this.unresolved.slice(-most).reverse(), ...this.resolved.slice(-most).reverse()].slice(0, most);
    return ids.flatMap((id) => this.byId.get(id) ?? []);
  }

  /** Whether a conflict that is not resolved contests the unit. */
  isContested(unitId: string): boolean {
    return this.contested.has(unitId);
  }

  count(): number {
    return this.byId.size;
  }

  private hold(conflict: Conflict): void {
    const { id, status } = conflict;
    const isNew = !this.byId.has(id);
    this.byId.set(id, conflict);
    if (status !== "resolved") {
      if (!isNew) return;
      this.unresolved.push(id);
      this.contest(conflict, 1);
      return;
    }
    this.resolved.push(id);
    if (isNew) return;
    this.unresolved.splice(this.unresolved.indexOf(id), 1);
    this.contest(conflict, -1);
  }

  private contest({ unit_a, unit_b }: Conflict, more: 1 | -1): void {
    for (const id of [unit_a, unit_b]) {
      const count = (this.contested.get(id) ?? 0) + more;
      if (count === 0) this.contested.delete(id);
      else this.contested.set(id, count);
    }
  }
}

/** Decides a conflict that is not resolved: returns the winner's id, or null where a person has to decide. Throws Refused. Pure. */
export function decide(
  conflict: Conflict,
  units: readonly [MemoryUnit, MemoryUnit],
  { strategy, resolution }: AkashikMergeRequest,
): string | null {
  const winnerId = resolution?.winner_id ?? null;
  if (conflict.status === "resolved") throw impossible("The conflict is resolved already.");
  if (winnerId !== null && units.every(({ id }) => id !== winnerId))
    throw impossible("`resolution.winner_id` is none of the units of the conflict.");
  if (winnerId !== null && (standing(units)?.id ?? winnerId) !== winnerId)
    throw impossible("The unit of `resolution.winner_id` is superseded, and the other one is not.");
  if (strategy === "human_escalation") return winnerId;
  if (conflict.status === "escalated")
    throw impossible("A person decides this conflict. Merge it by human_escalation, with the person's winner_id.");
  const winner = standing(units) ?? (strategy === "last_write_wins" ? later(...units) : surer(...units));
  if (winnerId !== null && winnerId !== winner.id)
    throw impossible(`By ${strategy} the winner is ${winner.id}. Leave winner_id out, or merge by human_escalation.`);
  return winner.id;
}

function impossible(sentence: string): Refused {
  return new Refused("INVALID_TRANSITION", sentence);
}

/** The unit that is not superseded, if the other one is. */
function standing(units: readonly MemoryUnit[]): MemoryUnit | undefined {
  const standing = units.filter(({ status }) => status !== "superseded");
  return standing.length === 1 ? standing[0] : undefined;
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
