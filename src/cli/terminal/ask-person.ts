// A person who answers yes or no at the terminal.
import { createInterface } from "node:readline";
import type { CommandIo } from "./command-io.js";

export type Person = ReturnType<typeof askPerson>;

/** With `onInterrupt` an interrupt while a question is open ends the input, and not the process. */
export function askPerson(
  { stdin, stderr }: Pick<CommandIo, "stdin" | "stderr">,
  onInterrupt: CommandIo["onInterrupt"] = () => () => {},
) {
  const reader = createInterface({ input: stdin });
  const lines = reader[Symbol.asyncIterator]();
  let wasInterrupted = false;
  return {
    /** Asks on standard error, and resolves with whether the answer is yes, or y. At the end of input, and after an interrupt, every answer is no. */
    ask: async (question: string): Promise<boolean> => {
      stderr.write(`${question} (yes or no; y or n does too)\n`);
      const cancel = onInterrupt(() => {
        wasInterrupted = true;
        reader.close();
      });
      const { done, value } = await lines.next();
      cancel();
      return done !== true && /^y(?:es)?$/i.test(value.trim());
    },
    wasInterrupted: () => wasInterrupted,
    /** Leaves standard input to others. */
    leave: () => reader.close(),
  };
}
