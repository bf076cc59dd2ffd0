// Commands of the vendor's. The system's shell runs them, so an exit code can be the shell's own, and the program is below the shell.
import type { ChildProcess } from "node:child_process";

/** As in "exit code 1" or "SIGKILL". */
export function endingWords(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? String(signal) : `exit code ${code}`;
}

/** The sentence for a command that the shell could not run; undefined: the command itself has ended. */
export function shellRefusal(code: number | null): string | undefined {
  if (code === 126) return "The shell may not run it, or a program that it calls (exit code 126).";
  if (code === 127) return "The shell does not find it, or a program that it calls (exit code 127).";
  return undefined;
}

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
