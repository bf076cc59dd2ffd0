// The process behind one that only launches others: a shell, or `npx` (R5d).
import { type ProcessTable, processLineage, processTable } from "./process-lineage.js";

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
