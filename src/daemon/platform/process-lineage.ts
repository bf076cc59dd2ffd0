// The parents of a process, as the system tells them (R5d).
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Most processes of a lineage. */
const MOST_STEPS = 64;
/** How long `ps` may take, ms. */
const PS_MS = 1000;

/** Returns the process, then its parents, the nearest first; the process alone where the system does not tell. */
export function processLineage(processId: number, platform: NodeJS.Platform = process.platform): readonly number[] {
  const parentOf = platform === "linux" ? parentInProc : platform === "win32" ? () => undefined : parentsByPs();
  const lineage: number[] = [];
  for (let one: number | undefined = processId; one !== undefined && one > 0; one = parentOf(one)) {
    if (lineage.length === MOST_STEPS || lineage.includes(one)) break;
    lineage.push(one);
  }
  return lineage;
}

function parentInProc(processId: number): number | undefined {
  try {
    // The name of the program may have blanks and brackets. Behind its last bracket: the state, the parent.
    const stat = readFileSync(`/proc/${processId}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function parentsByPs(): (processId: number) => number | undefined {
  const parents = new Map<number, number>();
  try {
    const table = execFileSync("/bin/ps", ["-axo", "pid=,ppid="], { encoding: "latin1", timeout: PS_MS });
    for (const line of table.split("\n")) {
      const [processId, parent] = line.trim().split(/ +/).map(Number);
      if (processId !== undefined && parent !== undefined) parents.set(processId, parent);
    }
  } catch {
    // Without `ps` the process alone is known.
  }
  return (processId) => parents.get(processId);
}
