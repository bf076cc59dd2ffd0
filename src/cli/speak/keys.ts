// The keys as commands, for their help and their pages. bin/aaepd.js runs them without the rest of the command line.
import type { Command } from "commander";
import { wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import { main } from "./key.js";
import { KEYS, type KeyCommand, type KeyName } from "./key-names.js";

export function registerKey(name: KeyName): (program: Command, io: CommandIo) => void {
  const { summary, description, argument, example = name }: KeyCommand = KEYS[name];
  return (program, io) => {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${description} For aaepd speak, which says the answer; it is printed too.`);
    if (argument !== undefined) command.argument(...argument);
    if (name === "answer") command.option("--question <n>", "the question of this number", wholeNumber(1, 999_999_999));
    command
      .addHelpText(
        "after",
        `
Exit codes: 0 done, 1 nothing was done, 2 wrong usage, 69 nobody speaks.

Examples:
  aaepd ${example}`,
      )
      .action(async () => {
        const { question } = command.opts<{ readonly question?: number }>();
        const number = question === undefined ? [] : ["--question", String(question)];
        await main({ argv: [name, ...command.args, ...number], io });
      });
  };
}
