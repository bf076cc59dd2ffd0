import type { ChildProcess } from "node:child_process";

/** Whether the platform has groups of processes. */
const HAS_GROUPS = process.platform !== "win32";

/** Signals a detached child with all that it has started: a command of the vendor's may be a shell with the program under it. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has just ended.
  }
}
