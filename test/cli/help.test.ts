// The help of each command, word for word as on 80 columns, so that a change of it is seen. `-u` writes it again.
import type { Command } from "commander";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { createProgram } from "../../src/cli/program.js";
import type { CommandContext } from "../../src/cli/shell/context.js";

/** No command is run here. */
const CONTEXT = {} as CommandContext;

/** The help of a command and of its own commands, one behind the other. */
async function helpOf(name: string): Promise<string> {
  const written: string[] = [];
  const writeOut = (text: string) => void written.push(text);
  const loaders = COMMANDS.filter((one) => one.name === name);
  const program = await createProgram(loaders, CONTEXT, { width: 80, writeOut, writeErr: writeOut });
  const pages = (command: Command): string => {
    command.outputHelp();
    return [written.splice(0).join(""), ...command.commands.map(pages)].join("\n");
  };
  const [command] = program.commands;
  if (command === undefined) throw new Error("The command is not registered under its name.");
  return pages(command);
}

it.each(COMMANDS)("$name teaches its arguments, options and examples", async ({ name }) => {
  await expect(await helpOf(name)).toMatchFileSnapshot(`help/${name}.txt`);
});

it("the list of all commands has two columns on 80: each summary fits beside its command", async () => {
  const written: string[] = [];
  const writeOut = (text: string) => void written.push(text);
  const program = await createProgram(COMMANDS, CONTEXT, { width: 80, writeOut, writeErr: writeOut });
  program.outputHelp();
  const lines = written.join("").split("\n");
  for (const command of program.commands)
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^  ${command.name()} +${command.summary().slice(0, 20)}`)),
    );
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

it("S1: a command whose standard output is a protocol's takes it from everything else; no other command does", () => {
  const owners = COMMANDS.filter(({ ownsStdout }) => ownsStdout).map(({ name }) => name);
  expect(owners).toEqual(["serve", "stdio", "a2e", "acp", "mcp", "run", "replay"]);
  const withoutDaemon = COMMANDS.filter(({ ownsStdout, runsDaemon }) => ownsStdout && runsDaemon === false);
  expect(withoutDaemon.map(({ name }) => name)).toEqual(["acp", "mcp", "run"]);
});
