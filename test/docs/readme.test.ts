// The README's examples, run as they stand there: an agent and a listener in each language, over real processes and a real socket.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { sideBySide, whenFinished } from "../support/lifetime.js";
import { untilHeard } from "../support/peers/heard.js";
import { createHeldNpx } from "../support/peers/held-npx.js";
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

interface Running {
  readonly out: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

function run(program: string, path: string, environment: Readonly<Record<string, string>>): Running {
  const child = spawn(program, [path], { cwd: ROOT, env: { ...process.env, ...environment } });
  whenFinished(() => child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => {
    out += data.toString("utf8");
  });
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString("utf8");
  });
  const ended: Running["ended"] = new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }));
  });
  return { out: () => out, ended };
}

/** Both sides of a conversation; the agent's words are kept back until the listener is there. */
async function converse(program: string, listenerName: string, agentName: string) {
  const directory = temporaryDirectory();
  const npx = createHeldNpx(directory);
  const listener = run(program, example(listenerName), { XDG_RUNTIME_DIR: directory });
  const agent = run(program, example(agentName), { XDG_RUNTIME_DIR: directory, PATH: npx.path });
  await untilHeard(join(directory, "aaep", "my-agent.sock"), listener.out);
  await npx.letGo();
  return { agent: await agent.ended, heard: await listener.ended };
}

beforeAll(() => {
  ensureBuilt();
  mkdirSync(FOLDER, { recursive: true });
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

// Their events come at the pace that the listeners ask for.
const conversations = sideBySide({
  python: () => converse("python3", "listen.py", "agent.py"),
  javaScript: async () => {
    const { socketPath, environment } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--producer-id", "my-agent");
    const listener = run("node", example("listen.mjs"), environment);
    await untilHeard(socketPath, listener.out);
    const before = listener.out().length;
    const agent = await run("node", example("agent.mjs"), { ...environment, AAEPD_SOCKET: socketPath }).ended;
    return { agent, heard: await listener.ended, before };
  },
});

describe("README", () => {
  it("the Python agent is heard by the Python listener, in whole sentences", async () => {
    const { agent, heard } = await conversations.python();
    expect(agent).toMatchObject({ code: 0, out: "" });
    expect(heard.code).toBe(0);
    expect(heard.out).toContain("aaep:agent.output.streaming The library opens at 9.30 a.m. It closes at six.\n");
    expect(heard.out).toContain("aaep:agent.session.completed Told the opening hours.\n");
    expect(heard.out.trimEnd().endsWith("subscription.close")).toBe(true);
  }, 180_000);

  it("the JavaScript agent is heard by the JavaScript listener", async () => {
    const { agent, heard, before } = await conversations.javaScript();
    expect(agent).toEqual({ code: 0, out: "", err: "" });
    expect(heard).toMatchObject({ code: 0, err: "" });
    const [, shown = ""] =
      /`node listen.mjs` prints[^`]*`node agent.mjs`[^`]*```text\n([\s\S]*?)```/.exec(README) ?? [];
    expect(shown.split("\n").length).toBeGreaterThan(3);
    const printed = heard.out.slice(before).split("\n");
    expect(printed.filter((line) => shown.split("\n").includes(line))).toEqual(shown.split("\n"));
  }, 180_000);

  it("its agent has at most 12 lines about AAEP", () => {
    const source = readFileSync(example("agent.mjs"), "utf8");
    const [about = ""] = source.split("// Your agent");
    expect(about.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(12);
  });
});
