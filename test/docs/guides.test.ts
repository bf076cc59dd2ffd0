// The examples of docs/subscribing.md and docs/publishing.md, run as they stand there against a real daemon.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isAaepdListPending, isAaepdRepeat, isAaepdSkip, isSubscriptionRenegotiate } from "#gen/aaep/validators.js";
import { FAULT_CODES } from "../../src/base/errors.js";
import type { ReceivedEvent } from "../../src/client/events.js";
import { subscribe } from "../../src/client/listener/subscribe.js";
import { ipcConnector } from "../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import { untilHeard } from "../support/peers/heard.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SUBSCRIBING = readFileSync(join(ROOT, "docs/subscribing.md"), "utf8");
const PUBLISHING = readFileSync(join(ROOT, "docs/publishing.md"), "utf8");

function example(page: string, name: string): string {
  const found = new RegExp(`\`\`\`\\w+ ${name.replace(".", "\\.")}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`there is no example ${name}`);
  // Inside the package, so that `aaepd/client` is found as it would be in a project that depends on it.
  const folder = mkdtempSync(join(ROOT, "dist", "guides-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), `${found}\n`);
  return join(folder, name);
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
}

function start(program: string, ...argv: readonly string[]): Running {
  const child = spawn(program, argv);
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    out: () => texts.out,
    err: () => texts.err,
    ended: new Promise((resolve) => child.on("close", resolve)),
  };
}

itInFull("R17: the Python agent is heard by the Python listener, which comes back after the daemon", async () => {
  const runtime = runtimeEnvironment();
  const first = await serve(runtime.XDG_RUNTIME_DIR);
  const listener = start(
    "python3",
    example(SUBSCRIBING, "reader.py"),
    first.socketPath,
    join(temporaryDirectory(), "cursor"),
  );
  const agentPath = example(PUBLISHING, "agent.py");
  const speak = async (socketPath: string): Promise<void> => {
    await untilHeard(socketPath, listener.out);
    const agent = start("python3", agentPath, socketPath);
    expect([await agent.ended, agent.err()]).toEqual([0, ""]);
    expect(agent.out()).toContain("session_ended");
  };
  await speak(first.socketPath);
  await eventually(() => expect(listener.out()).toContain("session.completed: The book is in."));
  expect(listener.out()).toContain("session.started: Looking.");
  expect(listener.out()).toContain("next to Dr. Lin's.");
  await first.stop();
  await eventually(() => expect(listener.err()).toMatch(/refused|No such file/));
  const again = await serve(runtime.XDG_RUNTIME_DIR);
  expect(again.socketPath).toBe(first.socketPath);
  const heardBefore = listener.out().length;
  await speak(again.socketPath);
  await eventually(() => expect(listener.out().slice(heardBefore)).toContain("session.completed: The book is in."));
  expect(listener.err()).not.toContain("Traceback");
});

itInFull("the JavaScript agent is heard by the JavaScript listener", async () => {
  ensureBuilt();
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const place = join(temporaryDirectory(), "cursor");
  const listener = start(process.execPath, example(SUBSCRIBING, "reader.mjs"), socketPath, place);
  await eventually(() => expect(listener.out()).toContain("connected"));
  const agent = start(process.execPath, example(PUBLISHING, "agent.mjs"), socketPath);
  expect(await agent.ended).toBe(0);
  expect(agent.out()).toMatch(/^session_ended /);
  await eventually(() => expect(listener.out()).toContain("One, two, three."));
  await eventually(() => expect(readFileSync(place, "utf8")).toMatch(/^c1\./));
  listener.child.kill("SIGINT");
  expect(await listener.ended).toBe(0);
  expect(listener.err()).toBe("");
});

test("AAEP §4.3: the callbacks of a framework are heard as tools, and their errors harm nobody", async () => {
  ensureBuilt();
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const subscription = subscribe(ipcConnector(socketPath), {});
  onTestFinished(() => subscription.close());
  const heard: ReceivedEvent[] = [];
  void (async () => {
    for await (const event of subscription) heard.push(event);
  })();
  await eventually(() => expect(subscription.sources()[0]?.state()?.kind).toBe("active"));
  const program = start("env", `AAEPD_SOCKET=${socketPath}`, process.execPath, example(PUBLISHING, "callbacks.mjs"));
  expect([await program.ended, program.out(), program.err()]).toEqual([0, "", ""]);
  await eventually(() => expect(heard.at(-1)?.type).toBe("aaep:agent.session.completed"));
  expect(heard.filter(({ type }) => type === "aaep:agent.tool.completed")).toEqual([
    expect.objectContaining({ tool: "catalogue", status: "success" }),
    expect.objectContaining({ tool: "map", status: "error", error_message: "The map is lost." }),
  ]);
  expect(heard.at(-1)).toMatchObject({ summary_normal: "Found the book." });
});

test("M5: the messages that subscribing.md shows are valid", () => {
  const [, block = ""] = /```json\n([\s\S]*?)\n```/.exec(SUBSCRIBING) ?? [];
  const [renegotiate, skip, repeat, list] = block.split("\n").map((line) => JSON.parse(line));
  expect(isSubscriptionRenegotiate(renegotiate)).toBe(true);
  expect(isAaepdSkip(skip)).toBe(true);
  expect(isAaepdRepeat(repeat)).toBe(true);
  expect(isAaepdListPending(list)).toBe(true);
});

test("M5: the codes that publishing.md explains exist", () => {
  const table = PUBLISHING.slice(
    PUBLISHING.indexOf("## The order of events"),
    PUBLISHING.indexOf("## When the connection"),
  );
  const codes = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes) expect(FAULT_CODES).toContain(code);
});
