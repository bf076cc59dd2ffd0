// The person is told of each step. A step that fails is told, and the next one is done all the same.
import { faultFrom } from "../../base/errors.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { describeFault } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";

export interface Told {
  readonly say: (line: string) => void;
  /** Undefined if the step failed. */
  readonly attempt: <Result>(step: () => Result | Promise<Result>) => Promise<Result | undefined>;
  /** Says on standard error that something is missing. */
  readonly miss: (sentence: string) => void;
  /** Whether a step failed. */
  readonly exitCode: () => ExitCode;
}

export function createTold({ stdout, stderr }: Pick<CommandIo, "stdout" | "stderr">): Told {
  let code: ExitCode = EXIT.ok;
  const miss = (sentence: string): void => {
    code = EXIT.fault;
    stderr.write(`Error: ${sentence}\n`);
  };
  return {
    say: (line) => void stdout.write(`${line}\n`),
    miss,
    attempt: async (step) => {
      try {
        return await step();
      } catch (caught) {
        miss(describeFault(faultFrom(caught)));
        return undefined;
      }
    },
    exitCode: () => code,
  };
}
