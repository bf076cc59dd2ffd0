// docs/a2e.md, run as it stands there: the commands, what they print, what is heard, and the messages.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { resolveConfiguration } from "../../src/daemon/config/config-sources.js";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { cleanEnvironment } from "../support/peers/program.js";
import { isAsPublished } from "../support/published-schemas.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/a2e.md"), "utf8");

function block(language: string, name: string): string {
  const found = new RegExp(`\`\`\`${language} ${name}\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`there is no ${language} ${name}`);
  return found;
}

/** A folder with `aaepd` in its path, and nothing of the user's. */
function stage() {
  ensureBuilt();
  const directory = temporaryDirectory();
  const bin = join(directory, "bin");
  mkdirSync(bin);
  symlinkSync(join(ROOT, "bin/aaepd.js"), join(bin, "aaepd"));
  const clean = cleanEnvironment(directory);
  const environment = { ...clean, PATH: `${bin}:${process.env.PATH ?? ""}` };
  const children: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  const run = (command: string) => {
    const child = spawn("sh", ["-c", `exec ${command.trim()}`], { cwd: ROOT, env: environment });
    children.push(child);
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { out: () => out, err: () => err, ended, child };
  };
  return { run, directory };
}

it("an agent in front of its host prints the same", async () => {
  const { run } = stage();
  const agent = run(block("sh", "run"));
  expect(await agent.ended).toBe(0);
  expect(agent.out()).toBe(block("text", "run"));
});

it("a listener that is there from the beginning hears what the page says", async () => {
  const { run, directory } = stage();
  const { a2e } = JSON.parse(block("json", "serve")) as { readonly a2e: { readonly providers: readonly unknown[] } };
  mkdirSync(join(directory, "aaepd"));
  writeFileSync(
    join(directory, "aaepd", "config.json"),
    JSON.stringify({ a2e: { providers: a2e.providers.slice(0, 1) } }),
  );
  const daemon = run("aaepd serve");
  await eventually(() => expect(daemon.out()).toContain("endpoints"));
  const heard = block("text", "heard");
  const tail = run(`aaepd tail --no-time -n ${heard.trim().split("\n").length}`);
  await eventually(() => expect(tail.err()).toContain("Connected"));
  const agent = run(block("sh", "socket"));
  expect(await agent.ended).toBe(0);
  expect(await tail.ended).toBe(0);
  expect(tail.out().replaceAll("aaepd, example-agent: ", "")).toBe(heard);
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});

it("a tool is held, and refused where nobody can agree", async () => {
  const { run } = stage();
  const agent = run(block("sh", "held"));
  expect(await agent.ended).toBe(0);
  expect(agent.out().endsWith(block("text", "held"))).toBe(true);
});

it("the configuration is taken, and an agent at the socket is served", async () => {
  const { run, directory } = stage();
  const folder = join(directory, "aaepd");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "config.json");
  writeFileSync(file, block("json", "serve"));
  const { configuration } = resolveConfiguration({ command: "serve", flags: {}, environment: {}, configFile: file });
  expect(configuration.a2eProviders.map(({ name, priority }) => [name, priority])).toEqual([
    ["files", 0],
    ["search", 1],
  ]);
  expect(configuration).toMatchObject({ a2eIrreversibleTools: ["delete_file"], a2eShownArguments: ["path"] });
  const daemon = run("aaepd serve");
  await eventually(() => expect(daemon.out()).toContain("endpoints"));
  const agent = run(block("sh", "socket"));
  expect(await agent.ended).toBe(0);
  expect(agent.out()).toContain("add: 42");
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});

it("the messages are as the schemas say", () => {
  expect(isAsPublished("a2e", "A2ERegister", JSON.parse(block("json", "register")))).toBe(true);
  expect(isAsPublished("a2e", "A2ERegistered", JSON.parse(block("json", "registered")))).toBe(true);
});
