// Servers of MCP as their registries have them, unchanged, behind `aaepd mcp`.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { hostStage } from "../adapters/mcp/mcp-host.js";
import { eventually } from "../cli/command-stage.js";
import { accepts } from "../client/agent/agent-stage.js";
import { ensureBuilt } from "../support/built.js";
import { shared } from "../support/lifetime.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { installed } from "./agents/installed.js";
import { succeed } from "./package/stage.js";

const SERVERS: readonly [string, string] = [
  "@modelcontextprotocol/server-everything@2026.8.31",
  "@modelcontextprotocol/server-filesystem@2026.8.31",
];
const TEN_MINUTES = 600_000;

beforeAll(ensureBuilt, 120_000);

const servers = shared(() => installed(...SERVERS));

async function server(name: string, ...argv: readonly string[]): Promise<readonly string[]> {
  return [join(await servers(), ".bin", name), ...argv];
}

const isAboutTools = (line: string) => /^tool\./.test(line);

it(
  "server-everything: calls at once and progress are heard",
  async () => {
    const { call, lines, heard } = await hostStage({ server: await server("mcp-server-everything", "stdio") });
    const long = call("trigger-long-running-operation", { duration: 1, steps: 4 }, { onprogress: () => {} });
    expect(await call("echo", { message: "milk" })).toMatchObject({ content: [{ text: "Echo: milk" }] });
    await long;
    await eventually(() => expect(lines().filter(isAboutTools)).toHaveLength(4));
    expect(lines()[0]).toBe("session.started | Uses tools of Everything.");
    expect(lines()).toContain("tool.completed | Everything.echo | success");
    const progress = heard.events.filter(({ type }) => type.endsWith("progress.updated"));
    expect(progress.at(-1)).toMatchObject({ progress: { percent: 100 } });
  },
  TEN_MINUTES,
);

it(
  "server-filesystem: a file is written after a yes, and not without one",
  async () => {
    const allowed = join(temporaryDirectory(), "shop");
    mkdirSync(allowed);
    const path = join(allowed, "note.txt");
    const given = { path, content: "milk" };
    const options = ["--irreversible-tools", "write_file"];
    const command = await server("mcp-server-filesystem", allowed);
    const alone = await hostStage({ server: command, options });
    expect(await alone.call("write_file", given)).toMatchObject({ isError: true });
    expect(existsSync(path)).toBe(false);
    const asked = await hostStage({ server: command, options, answer: accepts });
    expect(await asked.call("write_file", given)).not.toHaveProperty("isError", true);
    expect(readFileSync(path, "utf8")).toBe("milk");
    expect(await asked.call("read_text_file", { path })).toMatchObject({ content: [{ text: "milk" }] });
    await eventually(() => expect(asked.lines().filter(isAboutTools)).toHaveLength(4));
  },
  TEN_MINUTES,
);

it(
  "mcp-server-git, in Python: tools are heard",
  async () => {
    const environment = join(temporaryDirectory(), "python");
    await succeed(temporaryDirectory(), "python3", "-m", "venv", environment);
    await succeed(
      temporaryDirectory(),
      join(environment, "bin/pip"),
      "install",
      "--quiet",
      "mcp-server-git==2026.10.19",
    );
    const repository = temporaryDirectory();
    await succeed(repository, "git", "init", "--quiet");
    const { call, lines } = await hostStage({ server: [join(environment, "bin/mcp-server-git")] });
    expect(await call("git_status", { repo_path: repository })).toMatchObject({ content: [{ type: "text" }] });
    await eventually(() => expect(lines().filter(isAboutTools)).toHaveLength(2));
    expect(lines()).toContain("tool.completed | Git.git_status | success");
  },
  TEN_MINUTES,
);
