// The rooms of what the Field keeps, in bytes by estimate: its values have very different sizes, and a number alone bounds no memory.

import { bytesOf, createSharedRoom, type SharedRoom } from "../../../base/shared-room.js";
import {
  BYTES_PER_UNIT,
  type Conflict,
  type FieldAgent,
  type FieldLimits,
  type FieldSubscription,
  type MemoryUnit,
  MOST_AGENT_BYTES,
} from "./field-types.js";

/** The weight of a conflict that is not resolved. */
const CONFLICT_BYTES = 1024;

export interface FieldRooms {
  /** Of agents and their subscriptions. */
  readonly agents: SharedRoom;
  /** Of units and their conflicts. */
  readonly units: SharedRoom;
}

/** `kept`: the values of an earlier boot. */
export function createFieldRooms(
  limits: FieldLimits,
  kept: {
    readonly agents: readonly FieldAgent[];
    readonly subscriptions: readonly FieldSubscription[];
    readonly units: readonly MemoryUnit[];
    readonly conflicts: readonly Conflict[];
  },
): FieldRooms {
  const agents = createSharedRoom(() => MOST_AGENT_BYTES);
  const units = createSharedRoom(() => limits.maxUnits() * BYTES_PER_UNIT);
  for (const one of kept.agents) agents.add(bytesOf(one));
  for (const one of kept.subscriptions) agents.add(subscriptionBytes(one));
  for (const one of [...kept.units, ...kept.conflicts]) units.add(bytesOf(one));
  return { agents, units };
}

export function subscriptionBytes({ id, agentId, events }: FieldSubscription): number {
  return bytesOf([id, agentId, events]);
}

/** A unit with the conflicts that its relations bring. */
export function unitBytes(unit: MemoryUnit): number {
  return bytesOf(unit) + CONFLICT_BYTES * unit.relations.filter(({ type }) => type === "contradicts").length;
}
