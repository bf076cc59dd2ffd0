// The payloads of answers.
import type {
  AkashikAttuneAnswer,
  AkashikMergeAnswer,
  AkashikRecordAnswer,
  AkashikRegisterAnswer,
  AkashikSubscription,
} from "#gen/akashik/types.js";
import type { Attuned } from "../field/attune.js";
import type { Merged, Recorded } from "../field/field.js";
import type { Conflict, FieldAgent, FieldSubscription } from "../field/field-types.js";
import { fieldCapabilities } from "../messages/capabilities.js";

export function registered(
  { id, role, interests, epoch }: FieldAgent,
  persistence: Parameters<typeof fieldCapabilities>[0],
): AkashikRegisterAnswer {
  return {
    status: "registered",
    agent: { id, role, interests, status: "active", epoch },
    field_capabilities: fieldCapabilities(persistence),
    rejection_reason: null,
  };
}

/** `missing`: the operations that were asked for and that the Field does not have. */
export function notRegistered(
  missing: readonly string[],
  persistence: Parameters<typeof fieldCapabilities>[0],
): AkashikRegisterAnswer {
  return {
    status: "rejected",
    agent: null,
    field_capabilities: fieldCapabilities(persistence),
    rejection_reason: `This Field does not have ${missing.join(", ")}.`,
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

export function attuned(
  { record, budget }: Attuned,
  conflicts: readonly Conflict[],
  epoch: number,
): AkashikAttuneAnswer {
  return { status: "ok", record, conflicts, context_budget: budget, epoch };
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
