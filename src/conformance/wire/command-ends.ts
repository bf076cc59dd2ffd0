// How a command of the vendor's ended. The system's shell runs it, so its exit code can be the shell's own.

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
