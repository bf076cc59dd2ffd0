// A person who answers yes or no at the terminal.
import { createInterface } from "node:readline";
import type { CommandIo } from "./command-io.js";

export interface Person {
  /** Asks on standard error, and resolves with whether the answer is yes, or y. At the end of input every answer is no. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Leaves standard input to others. */
  readonly leave: () => void;
}

export function askPerson({ stdin, stderr }: Pick<CommandIo, "stdin" | "stderr">): Person {
  const reader = createInterface({ input: stdin });
  const lines = reader[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      stderr.write(`${question} (yes or no; y or n does too)\n`);
      const { done, value } = await lines.next();
      return done !== true && /^y(?:es)?$/i.test(value.trim());
    },
    leave: () => reader.close(),
  };
}
