// A person who answers yes or no at the terminal.
import { createInterface } from "node:readline";
import type { CommandIo } from "./command-io.js";

export type Person = ReturnType<typeof askPerson>;

export function askPerson({ stdin, stderr }: Pick<CommandIo, "stdin" | "stderr">) {
  const reader = createInterface({ input: stdin });
  const lines = reader[Symbol.asyncIterator]();
  return {
    /** Asks on standard error, and resolves with whether the answer is yes, or y. At the end of input every answer is no. */
    ask: async (question: string): Promise<boolean> => {
      stderr.write(`${question} (yes or no; y or n does too)\n`);
      const { done, value } = await lines.next();
      return done !== true && /^y(?:es)?$/i.test(value.trim());
    },
    /** Leaves standard input to others. */
    leave: () => reader.close(),
  };
}
