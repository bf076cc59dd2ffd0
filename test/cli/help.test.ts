// The help of each command, word for word, so that a change of it is seen. `-u` writes it again.
import { Command } from "commander";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import type { CommandContext } from "../../src/cli/shell/context.js";

/** No command is run here. */
const CONTEXT = {} as CommandContext;

/** The help of a command and of its own commands, one behind the other. */
function helpOf(command: Command): string {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return [...written, ...command.commands.map(helpOf)].join("\n");
}

it.each(COMMANDS)("$name teaches its arguments, options and examples", async ({ name, load }) => {
  const program = new Command("aaepd");
  (await load())(program, CONTEXT);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) throw new Error("The command is not registered under its name.");
  await expect(helpOf(command)).toMatchFileSnapshot(`help/${name}.txt`);
});

it("S1: a command whose standard output is a protocol's takes it from everything else; no other command does", () => {
  const owners = COMMANDS.filter(({ ownsStdout }) => ownsStdout).map(({ name }) => name);
  expect(owners).toEqual(["serve", "stdio", "a2e", "replay"]);
});
