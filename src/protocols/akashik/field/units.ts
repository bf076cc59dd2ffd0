// The memory units of the Field: kept one by one, never let go of. Only the status of a unit changes.
import type { AkashikRecordRequest } from "#gen/akashik/types.js";
import { bytesOf } from "../../../base/shared-room.js";
import type { FieldAgent, FieldKept, MemoryUnit, Subject, UnitStatus } from "./field-types.js";
import { subjectOf, wordsOf } from "./words.js";

export interface HeldUnit {
  readonly unit: MemoryUnit;
  readonly subject: Subject;
}

export class Units {
  private readonly store: FieldKept;
  private readonly byId = new Map<string, HeldUnit>();
  /** Ascending by epoch. */
  private readonly order: string[] = [];

  /** `kept`: the units of an earlier boot, in any order. */
  constructor(store: FieldKept, kept: readonly MemoryUnit[]) {
    this.store = store;
    for (const unit of [...kept].sort((one, other) => one.epoch - other.epoch)) this.hold(unit);
  }

  add(unit: MemoryUnit): HeldUnit {
    this.save(unit.id);
    return this.hold(unit);
  }

  get(id: string): HeldUnit | undefined {
    return this.byId.get(id);
  }

  /** A unit that something of the Field refers to, so that it is there. */
  known(id: string): HeldUnit {
    const held = this.byId.get(id);
    if (held === undefined) throw new Error(`There is no unit ${id}.`);
    return held;
  }

  setStatus(id: string, status: UnitStatus): HeldUnit {
    const { unit, subject } = this.known(id);
    const held = { unit: { ...unit, status }, subject };
    this.byId.set(id, held);
    this.save(id);
    return held;
  }

  count(): number {
    return this.byId.size;
  }

  /** The units at or after an epoch, newest first. */
  since(epoch: number): readonly HeldUnit[] {
    const units: HeldUnit[] = [];
    for (let place = this.order.length - 1; place >= 0; place -= 1) {
      const held = this.known(this.order[place] ?? "");
      if (held.unit.epoch < epoch) break;
      units.push(held);
    }
    return units;
  }

  private hold(unit: MemoryUnit): HeldUnit {
    const { type, content, intent } = unit;
    // The content comes first, because the number of words is limited.
    const subject = subjectOf(type, () => wordsOf(content, intent.purpose, intent.question ?? ""));
    const held = { unit, subject };
    this.byId.set(unit.id, held);
    this.order.push(unit.id);
    return held;
  }

  private save(id: string): void {
    this.store.put("unit", id, () => this.byId.get(id)?.unit);
  }
}

/** The weight of a conflict that is not resolved. */
const CONFLICT_BYTES = 1024;

/** Estimates the bytes of a unit with the conflicts that its relations bring. */
export function unitBytes(unit: MemoryUnit): number {
  return bytesOf(unit) + CONFLICT_BYTES * unit.relations.filter(({ type }) => type === "contradicts").length;
}

/** The unit that a request records. */
export function unitOf(
  { mode: asked, type, content, intent, confidence, relations }: AkashikRecordRequest,
  id: string,
  { id: agent_id, role }: FieldAgent,
  session_id: string | null,
  epoch: number,
): MemoryUnit {
  const mode = asked ?? "committed";
  return {
    id,
    type,
    mode,
    content,
    intent: { purpose: intent.purpose, task_id: intent.task_id ?? null, question: intent.question ?? null },
    confidence: {
      score: confidence?.score ?? null,
      reasoning: confidence?.reasoning ?? null,
      evidence: confidence?.evidence ?? [],
      assumptions: confidence?.assumptions ?? [],
    },
    relations: (relations ?? []).map(({ type: kind, target_id, description = null }) => ({
      type: kind,
      target_id,
      description,
    })),
    source: { agent_id, role, session_id },
    epoch,
    status: mode === "draft" ? "draft" : "active",
  };
}
