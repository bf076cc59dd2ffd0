// The payloads of answers.
import type {
  AkashikAttuneAnswer,
  AkashikFieldCapabilities,
  AkashikMergeAnswer,
  AkashikRecordAnswer,
  AkashikRegisterAnswer,
  AkashikSubscription,
} from "#gen/akashik/types.js";
import type { Attuned } from "../field/attune.js";
import type { Merged, Recorded } from "../field/field.js";
import type { Conflict, FieldAgent, FieldSubscription } from "../field/field-types.js";

export function registered(
  { id, role, interests, epoch }: FieldAgent,
  capabilities: AkashikFieldCapabilities,
): AkashikRegisterAnswer {
  return {
    status: "registered",
    agent: { id, role, interests, status: "active", epoch },
    field_capabilities: capabilities,
    rejection_reason: null,
  };
}

/** `missing`: the operations that were asked for and that the agent may not use, or that the Field does not have. */
export function notRegistered(
  missing: readonly string[],
  capabilities: AkashikFieldCapabilities,
): AkashikRegisterAnswer {
  return {
    status: "rejected",
    agent: null,
    field_capabilities: capabilities,
    rejection_reason: `This Field does not offer ${missing.join(", ")}.`,
  };
}

export function recorded({ unit, conflicts }: Recorded): AkashikRecordAnswer {
  return {
    status: "recorded",
    memory_unit_id: unit.id,
    epoch: unit.epoch,
    conflicts_detected: conflicts,
    rejection_reason: null,
  };
}

/** Most UTF-16 units of conflicts in an answer. */
const MOST_CONFLICT_TEXT = 1024 * 1024;

/** The first of the conflicts, as many as an answer has room for. */
export function fitting(conflicts: readonly Conflict[]): readonly Conflict[] {
  let length = 0;
  const end = conflicts.findIndex((one) => {
    length += JSON.stringify(one).length;
    return length > MOST_CONFLICT_TEXT;
  });
  return end === -1 ? conflicts : conflicts.slice(0, end);
}

/** `conflicts`: the known ones, of which the answer has those that are unresolved and about one of its units. */
export function attuned(
  { record, budget }: Attuned,
  conflicts: readonly Conflict[],
  epoch: number,
): AkashikAttuneAnswer {
  const ids = new Set(record.map(({ memory_unit }) => memory_unit.id));
  const open = conflicts.filter(
    ({ status, unit_a, unit_b }) => status !== "resolved" && (ids.has(unit_a) || ids.has(unit_b)),
  );
  return { status: "ok", record, conflicts: fitting(open), context_budget: budget, epoch };
}

export function merged({ conflict, sideEffects }: Merged): AkashikMergeAnswer {
  return {
    status: conflict.status === "escalated" ? "escalated" : "resolved",
    conflict,
    side_effects: sideEffects,
  };
}

export function listed(subscriptions: readonly FieldSubscription[]): readonly AkashikSubscription[] {
  return subscriptions.map(({ id, events, minRelevance, debounceMs }) => ({
    id,
    events,
    min_relevance: minRelevance,
    debounce_ms: debounceMs,
  }));
}
