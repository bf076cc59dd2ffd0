// The README's examples, run as they stand there: an agent and a listener in each language, over real processes and a real socket.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = new URL("../..", import.meta.url).pathname;
const README = readFileSync(join(ROOT, "README.md"), "utf8");
// Inside the package, so that `aaepd/client` is found as it would be in a project that depends on it.
const FOLDER = join(ROOT, "dist", "readme-examples");

function example(name: string): string {
  const found = new RegExp(`\`\`\`\\w+ ${name.replace(".", "\\.")}\n([\\s\\S]*?)\n\`\`\``).exec(README);
  if (found?.[1] === undefined) throw new Error(`the README has no example ${name}`);
  const path = join(FOLDER, name);
  writeFileSync(path, `${found[1]}\n`);
  return path;
}

// The suite runs on a machine that has only Node; where all checks run, Python is there.
const hasPython = spawnSync("python3", ["--version"]).status === 0 || process.env.CI === "true";

const children: ChildProcess[] = [];

function run(
  program: string,
  path: string,
  runtimeDirectory: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(program, [path], { cwd: ROOT, env: { ...process.env, XDG_RUNTIME_DIR: runtimeDirectory } });
  children.push(child);
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => {
    out += data.toString("utf8");
  });
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString("utf8");
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

beforeAll(() => {
  ensureBuilt();
  mkdirSync(FOLDER, { recursive: true });
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe("README", () => {
  it.skipIf(!hasPython)(
    "the Python agent is heard by the Python listener, in whole sentences",
    async () => {
      const directory = temporaryDirectory();
      const listening = run("python3", example("listen.py"), directory);
      const agent = await run("python3", example("agent.py"), directory);
      expect(agent).toMatchObject({ code: 0, out: "" });
      const heard = await listening;
      expect(heard.code).toBe(0);
      expect(heard.out).toContain("aaep:agent.output.streaming The library opens at 9.30 a.m. It closes at six.\n");
      expect(heard.out).toContain("aaep:agent.session.completed Told the opening hours.\n");
      expect(heard.out.trimEnd().endsWith("subscription.close")).toBe(true);
    },
    60_000,
  );

  it("the JavaScript agent is heard by the JavaScript listener", async () => {
    const directory = temporaryDirectory();
    const listening = run("node", example("listen.mjs"), directory);
    const agent = await run("node", example("agent.mjs"), directory);
    expect(agent).toMatchObject({ code: 0, out: "" });
    const heard = await listening;
    expect(heard).toMatchObject({ code: 0, err: "" });
    expect(heard.out).toContain("Dr. Li counted them.");
    expect(heard.out).toContain("aaep:agent.session.completed Counted.");
  }, 60_000);

  it("every file that it points to exists", () => {
    const links = [...README.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
    rmSync(FOLDER, { recursive: true, force: true });
  });
});
