// docs/akashik.md, run as it stands there: the commands, what they print, and the numbers of its examples.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { isAkashikRequest } from "#gen/akashik/validators.js";
import { listenerOf, relevanceScore } from "../../src/protocols/akashik/field/relevance.js";
import { wordsOf } from "../../src/protocols/akashik/field/words.js";
import { OPERATIONS } from "../../src/protocols/akashik/messages/capabilities.js";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { startRig } from "../support/rigs/daemon-rig.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/akashik.md"), "utf8");

function block(language: string, name: string): string {
  const found = new RegExp(`\`\`\`${language} ${name}\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`there is no ${language} ${name}`);
  return found;
}

function run(command: string, socket: string) {
  const child = spawn("sh", ["-c", `exec ${command.trim()}`], { cwd: ROOT, env: { ...process.env, SOCKET: socket } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { out: () => out, ended };
}

const IN_PYTHON = "python3 examples/akashik/agent.py";
const IN_TYPESCRIPT = block("sh", "typescript").trim();

it.each([
  [IN_PYTHON, IN_PYTHON],
  [IN_TYPESCRIPT, IN_PYTHON],
  [IN_PYTHON, IN_TYPESCRIPT],
])("an agent by %s is told of what another one by %s records", async (reading, writing) => {
  ensureBuilt();
  const rig = await startRig();
  const socket = String(rig.daemon.endpoints.ipc);
  const reader = run(block("sh", "reader").replace(IN_PYTHON, reading), socket);
  await eventually(() => expect(reader.out()).toContain("subscribed"));
  const writer = run(block("sh", "writer").replace(IN_PYTHON, writing), socket);
  expect(await writer.ended).toBe(0);
  expect(await reader.ended).toBe(0);
  expect(reader.out()).toBe(block("text", "reader"));
  expect(writer.out()).toContain("recorded: recorded");
});

it.each(["akashik/agent.py", "typescript/akashik-agent.ts"])("the client %s has fewer than 50 lines", (path) => {
  const source = readFileSync(join(ROOT, "examples", path), "utf8");
  expect(source.split("\n").filter((line) => line.trim() !== "").length).toBeLessThan(50);
});

it("the message is as the schema says, and the page has every operation", () => {
  expect(isAkashikRequest(JSON.parse(block("json", "subscribe")))).toBe(true);
  for (const operation of OPERATIONS) expect(PAGE).toContain(`| \`${operation}\` |`);
});

it("the scores of the examples are those of the Field", () => {
  const rows = [...PAGE.matchAll(/^\| (finding|decision|observation) "(.*)" \| ([\d.]+) \|$/gm)];
  expect(rows).toHaveLength(4);
  const listener = listenerOf({ role: "strategist", interests: ["market pricing", "competitor analysis"] });
  for (const [, kind, text = "", score] of rows)
    expect(relevanceScore({ kind: kind as "finding", words: wordsOf(text) }, listener), text).toBe(Number(score));
});
