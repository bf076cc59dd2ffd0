// Processes and their parents, as the system tells them (R5d).
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Most processes of a lineage. */
const MOST_STEPS = 64;
/** How long `ps` may take, ms. */
const PS_MS = 1000;

/** Facts about a process. */
interface ProcessFacts {
  readonly parent: number;
  readonly group: number;
  /** The name of its program. */
  readonly name: string;
}

/** Returns undefined where the system does not tell, or the process is gone. */
export type ProcessTable = (processId: number) => ProcessFacts | undefined;

/** The processes of this system at present. */
export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === "win32") return () => undefined;
  return platform === "linux" ? factsInProc : factsByPs();
}

/** Returns the process, then its parents, the nearest first; the process alone where the system does not tell. */
export function processLineage(processId: number, factsOf: ProcessTable = processTable()): readonly number[] {
  const lineage: number[] = [];
  for (let one: number | undefined = processId; one !== undefined && one > 0; one = factsOf(one)?.parent) {
    if (lineage.length === MOST_STEPS || lineage.includes(one)) break;
    lineage.push(one);
  }
  return lineage;
}

function factsInProc(processId: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "latin1");
    // The name of the program may have blanks and brackets. Behind its last bracket: the state, the parent, the group.
    const end = stat.lastIndexOf(")");
    const [, parent, group] = stat.slice(end + 2).split(" ");
    return { parent: Number(parent), group: Number(group), name: stat.slice(stat.indexOf("(") + 1, end) };
  } catch {
    return undefined;
  }
}

function factsByPs(): ProcessTable {
  const all = new Map<number, ProcessFacts>();
  try {
    const table = execFileSync("/bin/ps", ["-axo", "pid=,ppid=,pgid=,comm="], { encoding: "utf8", timeout: PS_MS });
    for (const line of table.split("\n")) {
      const [processId, parent, group, ...program] = line.trim().split(/ +/);
      const name = program.join(" ").replace(/^.*\//, "").replace(/^-/, "");
      if (program.length > 0) all.set(Number(processId), { parent: Number(parent), group: Number(group), name });
    }
  } catch {
    // Without `ps` the process alone is known.
  }
  return (processId) => all.get(processId);
}
