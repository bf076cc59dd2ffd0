// The person is told of each step. A step that fails is told, and the next one is done all the same.
import { faultFrom } from "../../base/errors.js";
import { describeFault, EXIT, type ExitCode } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";

export type Told = ReturnType<typeof createTold>;

export function createTold({ stdout, stderr }: Pick<CommandIo, "stdout" | "stderr">) {
  let code: ExitCode = EXIT.ok;
  return {
    say: (line: string) => void stdout.write(`${line}\n`),
    /** Undefined if the step failed. */
    attempt: async <Result>(step: () => Result | Promise<Result>): Promise<Result | undefined> => {
      try {
        return await step();
      } catch (caught) {
        code = EXIT.fault;
        stderr.write(`Error: ${describeFault(faultFrom(caught))}\n`);
        return undefined;
      }
    },
    /** Whether a step failed. */
    exitCode: () => code,
  };
}
