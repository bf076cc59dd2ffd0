// Where a listener's process comes from (R5d).
import { existsSync, readFileSync } from "node:fs";
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

/**
 * Why a process may not act for the person (R5d): an agent's mark stands in the environment of the process, or of one of its parents, and above this
 * process there is none. Undefined if nothing speaks against it, or where the system does not tell.
 */
export function whyNoPerson(processId: number): string | undefined {
  if (process.platform !== "linux" || markAbove(process.pid) !== undefined) return undefined;
  const mark = markAbove(processId);
  if (mark !== undefined) return startedByAgent(mark);
  // A process that hides its environment by ending is none of a person's. It was there while that was read if it is there now.
  if (existsSync(`/proc/${processId}`)) return undefined;
  return "The program has ended before its answer. This key is a person's alone.";
}

/** The sentence about a command whose environment, or that of a program above it, has an agent's mark. */
export function startedByAgent(mark: string): string {
  return `The variable ${mark} says that an agent has started this command, or a program above it. Press it where no agent has.`;
}

function markAbove(processId: number): string | undefined {
  for (const one of processLineage(processId)) {
    const mark = hostMarkIn(environmentOf(one));
    if (mark !== undefined) return mark;
  }
  return undefined;
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
