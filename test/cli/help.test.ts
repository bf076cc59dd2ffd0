// The help of each command as on 80 columns. That of `serve` stands here word for word, so that a change of its form is seen; `-u` writes it again.
import type { Command } from "commander";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { createProgram } from "../../src/cli/program.js";
import type { CommandContext } from "../../src/cli/shell/context.js";

/** No command is run here. */
const CONTEXT = {} as CommandContext;

/** A command as it is registered, and its help with that of its own commands, one behind the other. */
async function helpOf(name: string): Promise<{ readonly command: Command; readonly text: string }> {
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
  return { command, text: pages(command) };
}

it("serve teaches its options and examples, word for word", async () => {
  const { text } = await helpOf("serve");
  await expect(text).toMatchFileSnapshot("help/serve.txt");
});

it.each(COMMANDS)("$name teaches its arguments, options and examples", async ({ name }) => {
  const { command, text } = await helpOf(name);
  expect(text).toContain(`Usage: aaepd ${name} `);
  expect(text).toMatch(/^Examples?:\n {2}\S/m);
  for (const one of [command, ...command.commands]) {
    const parts = [
      ...one.options.filter(({ hidden }) => !hidden).map(({ flags, description }) => [flags, description]),
      ...one.registeredArguments.map((part) => [part.name(), part.description]),
    ];
    for (const [part = "", description = ""] of parts) {
      expect(text).toContain(part);
      expect([part, description]).toEqual([part, expect.stringMatching(/\S/)]);
      expect(text.replaceAll(/\s+/g, " ")).toContain(description);
    }
  }
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
