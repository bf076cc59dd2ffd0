// Processes and their parents, as the system tells them, and the process behind one that only launches others: a shell, or `npx` (R5d).
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

/** Programs that start another one and wait for it. Longer names are cut by the system. */
const SHELL = /^(?:ash|bash|busybox|cmd|dash|fish|ksh|pwsh|sh|zsh)$/;
const LAUNCHER = /^(?:npm|npx|pnpm|yarn|bun|bunx|sudo|timeout)\b/;

/**
 * The process of the host whose hook has called: the nearest of a process and its parents that is no shell, because the shells of a hook end with it.
 * Undefined if that is the first process of all.
 */
export function hostProcess(parent: number, factsOf: ProcessTable = processTable()): number | undefined {
  const found = processLineage(parent, factsOf).find((pid) => !SHELL.test(factsOf(pid)?.name ?? ""));
  return found === 1 ? undefined : found;
}

/**
 * The process behind `aaepd stdio`, whose number is `own`: the nearest of its parents that does not just launch it. A launcher is in the group of the
 * process that it launches. The shell of a terminal is not: it counts itself, because it has started both the agent and the daemon.
 */
export function agentBehind(parent: number, own: number, factsOf: ProcessTable = processTable()): number {
  const group = factsOf(own)?.group;
  const isLauncher = (pid: number): boolean => {
    const facts = factsOf(pid);
    return facts?.group === group && (SHELL.test(facts?.name ?? "") || LAUNCHER.test(facts?.name ?? ""));
  };
  return processLineage(parent, factsOf).find((pid) => !isLauncher(pid)) ?? parent;
}

/** Standard input and output with the process behind their launchers in place of the parent. */
export function behindLaunchers<Ends extends { readonly parentId?: number }>(stdio: Ends): Ends {
  return stdio.parentId === undefined ? stdio : { ...stdio, parentId: agentBehind(stdio.parentId, process.pid) };
}
