// Where a listener's process comes from (R5d).
import { readFileSync } from "node:fs";
import { hostMarkIn } from "../adapters/host-marks.js";
import { SOME_AGENT } from "../engine/event/agent-process.js";
import { processLineage } from "./platform/process-lineage.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the process and its parents. `SOME_AGENT` is among them if an agent's mark stands in the environment of the process: one that its parents
 * have left behind has lost its lineage, and keeps its environment. Marks mean nothing where the daemon has one too: the same agent has started both.
 */
export function listenerLineage(processId: number, ownEnvironment: Environment = process.env): readonly number[] {
  const lineage = processLineage(processId);
  if (process.platform !== "linux" || hostMarkIn(ownEnvironment) !== undefined) return lineage;
  return hostMarkIn(environmentOf(processId)) === undefined ? lineage : [...lineage, SOME_AGENT];
}

/** The environment with which a process began; empty where the system does not tell. */
function environmentOf(processId: number): Environment {
  try {
    const entries = readFileSync(`/proc/${processId}/environ`, "latin1").split("\0");
    return Object.fromEntries(entries.map((entry) => entry.split("=", 2)));
  } catch {
    return {};
  }
}
