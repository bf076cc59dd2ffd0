// Command lines of the built program, one after the other in a process that they share: the start of one costs as much as a hundred of them.
import { COMMANDS } from "../../src/cli/commands.js";
import { ensureBuilt } from "../support/built.js";
import { shared } from "../support/lifetime.js";
import { fixture, startProgram } from "../support/peers/program.js";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether a command ends its process itself, because standard output is its own: such a one cannot share it. */
export function ownsProcess([name]: readonly string[]): boolean {
  return COMMANDS.some((command) => command.name === name && command.ownsStdout === true);
}

/** Returns what runs a command line in the process of a test file. The variables are added to its environment, and stay. */
export function createCommandLines(): (
  argv: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Promise<Ended> {
  let count = 0;
  const started = shared(() => {
    ensureBuilt();
    return Promise.resolve(startProgram([], { entry: fixture("command-lines.mjs") }));
  });
  return async (argv, environment = {}) => {
    const program = await started();
    program.child.stdin.write(`${JSON.stringify({ argv, environment })}\n`);
    count += 1;
    return JSON.parse((await program.stdoutLines(count)).at(-1) ?? "");
  };
}
