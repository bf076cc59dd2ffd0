// What the table of commands decides before a command is loaded.
import { afterEach, expect, test, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { main } from "../../src/cli/main.js";

const OWNERS = ["serve", "stdio", "a2e", "acp", "mcp", "run", "replay"];
const others = COMMANDS.map(({ name }) => name).filter((name) => !OWNERS.includes(name));

afterEach(() => {
  vi.restoreAllMocks();
  process.stdout.removeAllListeners("error");
  process.stderr.removeAllListeners("error");
});

test.each(others)("S1: %s loads no daemon, and writes to standard output itself", async (name) => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const loadDaemon = vi.fn(() => Promise.reject(new Error("no daemon")));
  await main({ argv: [name, "--help"], loadDaemon });
  expect(loadDaemon).not.toHaveBeenCalled();
  expect(process.stdout.write).toBe(write);
  const argument = { publish: " <file>", validate: " <file>", completion: " <shell>", say: " [text]" }[name];
  const command = ["conformance", "config", "hook", "journal", "service"].includes(name) ? " [command]" : "";
  expect(written.join("").split("\n")[0]).toBe(`Usage: aaepd ${name} [options]${argument ?? command}`);
});
