// The person is told of each step. A step that fails is told, and the next one is done all the same.
import { faultFrom } from "../../base/errors.js";
import { withPages } from "../shell/program-paths.js";
import { describeFault, EXIT, type ExitCode } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";

export type Told = ReturnType<typeof createTold>;

export function createTold({ stdout, stderr }: Pick<CommandIo, "stdout" | "stderr">) {
  let code: ExitCode = EXIT.ok;
  /** What lacks for each reason. */
  const lacks = new Map<string, string[]>();
  return {
    say: (line: string) => void stdout.write(`${withPages(line)}\n`),
    /** Undefined if the step failed. A reason is told once. `lack`: what is then not so, as a sentence. */
    attempt: async <Result>(step: () => Result | Promise<Result>, lack?: string): Promise<Result | undefined> => {
      try {
        return await step();
      } catch (caught) {
        code = EXIT.fault;
        const why = describeFault(faultFrom(caught));
        const before = lacks.get(why);
        if (before === undefined) stderr.write(`Error: ${why}\n`);
        lacks.set(why, [...(before ?? []), ...(lack === undefined ? [] : [lack])]);
        return undefined;
      }
    },
    /** Whether a step failed. */
    exitCode: () => code,
    /** Says once more what lacks, and why: a person hears the end. */
    tellLacks: (): void => {
      for (const [why, what] of lacks) if (what.length > 0) stderr.write(`Error: ${what.join(" ")} ${why}\n`);
    },
  };
}
