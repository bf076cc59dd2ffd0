// The help of each command as on 80 columns.
import type { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { main } from "../../src/cli/main.js";
import { createProgram } from "../../src/cli/program.js";
import type { CommandContext } from "../../src/cli/shell/context.js";
import { OPTION_GROUPS } from "../../src/daemon/config/config-schema.js";

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

it("the options of a daemon are a group each, with what happens at their limit, when a change applies under serve, and their default", async () => {
  const { text } = await helpOf("serve");
  expect(text).toMatch(
    /^Usage: aaepd serve \[options\]\n\nRuns a daemon that agents and assistive technology connect to over a local\nsocket\.\n\nWhere it listens:\n {2}--producer-id <ID>\n {6}Names/,
  );
  const compression = `
  --compression
      Compresses messages of http for clients that offer it. On one machine,
      compression costs more than it saves. Messages of grpc are never
      compressed. On the command line the option requires http. A change waits
      for the next start. Default false.
  --no-compression
      Turns --compression off.
  --max-frame-bytes <BYTES>
      The largest message that a peer may send. The daemon answers a larger one
      by message_too_large and closes its connection. Other connections
      continue. A change waits for the next start. Default 1064960 bytes.
  --handshake-timeout-seconds <SECONDS>
      How long a new connection may stay silent. The daemon then closes the
      connection. Default 60 seconds.
`;
  expect(text).toContain(compression);
  expect(text.match(/(?<=\n\n)[A-Z].*:$/gm)).toEqual(
    [...OPTION_GROUPS, "Options", "Examples"].map((group) => `${group}:`),
  );
  const stdio = (await helpOf("stdio")).text;
  expect(stdio).not.toContain("next start");
  expect(stdio).toMatch(/--agent-grace-seconds <SECONDS>\n[^-]*Default 0\s+seconds\./);
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

it("a command whose standard output is a protocol's takes it from everything else; no other command does", () => {
  const owners = COMMANDS.filter(({ ownsStdout }) => ownsStdout).map(({ name }) => name);
  expect(owners).toEqual(["serve", "stdio", "a2e", "acp", "mcp", "run", "connect", "replay"]);
  const withoutDaemon = COMMANDS.filter(({ ownsStdout, runsDaemon }) => ownsStdout && runsDaemon === false);
  expect(withoutDaemon.map(({ name }) => name)).toEqual(["acp", "mcp", "run", "connect"]);
});

describe("what the table of commands decides before a command is loaded", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    process.stdout.removeAllListeners("error");
    process.stderr.removeAllListeners("error");
  });

  it.each(COMMANDS.filter(({ ownsStdout }) => !ownsStdout))(
    "$name loads no daemon, and writes to standard output itself",
    async ({ name }) => {
      const written: string[] = [];
      const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
      const loadDaemon = vi.fn(() => Promise.reject(new Error("no daemon")));
      await main({ argv: [name, "--help"], loadDaemon });
      expect(loadDaemon).not.toHaveBeenCalled();
      expect(process.stdout.write).toBe(write);
      const argument = {
        publish: " <file>",
        validate: " <file>",
        completion: " <shell>",
        relay: " <url>",
        say: " [text]",
        mute: " [minutes]",
        braille: " [take|release]",
        answer: " <words...>",
        stop: " [name]",
      }[name];
      const command = ["address", "conformance", "config", "hook", "journal", "service"].includes(name)
        ? " [command]"
        : "";
      expect(written.join("").split("\n")[0]).toBe(`Usage: aaepd ${name} [options]${argument ?? command}`);
    },
  );
});
