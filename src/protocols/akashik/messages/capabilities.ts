// The capabilities of this Field, as the answer to REGISTER names them.
import type { AkashikFieldCapabilities } from "#gen/akashik/types.js";
import { AKASHIK_VERSION } from "./protocol.js";

export const OPERATIONS = ["REGISTER", "DEREGISTER", "RECORD", "ATTUNE", "DETECT", "MERGE", "SUBSCRIBE"] as const;

export type Operation = (typeof OPERATIONS)[number];

export const STRATEGIES = ["last_write_wins", "confidence_weighted", "human_escalation"] as const;

/** Pushes by SUBSCRIBE are of level 2. */
const CONFORMANCE_LEVEL = 2;

export function isOperation(name: string): name is Operation {
  return OPERATIONS.some((one) => one === name);
}

/** `operations`: those that the agent may use. `persistence`: whether memory units outlive the daemon. */
export function fieldCapabilities(
  operations: readonly Operation[],
  persistence: AkashikFieldCapabilities["persistence"],
): AkashikFieldCapabilities {
  return {
    conformance_level: CONFORMANCE_LEVEL,
    supported_operations: operations,
    protocol_version: AKASHIK_VERSION,
    persistence,
    conflict_strategies: STRATEGIES,
  };
}
