// The formats of ATTUNE: how much of a memory unit an answer has.
import type { AkashikAttunedUnit, AkashikMemoryUnit } from "#gen/akashik/types.js";

export type UnitFormat = AkashikAttunedUnit["format"];

/** The members that a unit has in each format. */
export const UNIT_MEMBERS: Readonly<Record<UnitFormat, readonly (keyof AkashikMemoryUnit & string)[]>> = {
  full: ["id", "type", "mode", "content", "intent", "confidence", "relations", "source", "epoch", "status"],
  summary: ["id", "type", "content", "source", "epoch", "status"],
  ids_only: ["id"],
};

export function isFormat(value: unknown): value is UnitFormat {
  return typeof value === "string" && Object.hasOwn(UNIT_MEMBERS, value);
}
