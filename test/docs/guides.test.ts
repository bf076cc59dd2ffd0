// The examples of docs/subscribing.md and docs/publishing.md, run as they stand there against a real daemon.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAaepdListPending, isAaepdRepeat, isAaepdSkip, isSubscriptionRenegotiate } from "#gen/aaep/validators.js";
import { FAULT_CODES } from "../../src/base/errors.js";
import type { ReceivedEvent } from "../../src/client/events.js";
import { subscribe } from "../../src/client/listener/subscribe.js";
import { ipcConnector } from "../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docPage, projectOf } from "../support/doc-blocks.js";
import { itInFull } from "../support/extent.js";
import { untilHeard } from "../support/peers/heard.js";
import { type Program, startCommand } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const SUBSCRIBING = docPage("subscribing.md");
const PUBLISHING = docPage("publishing.md");

/** Starts a program of a page. */
function start(program: string, page: string, name: string, ...argv: readonly string[]): Program {
  const language = name.endsWith(".py") ? "python" : "js";
  return startCommand([program, join(projectOf(page, language, name), name), ...argv]);
}

itInFull("R17: the Python agent is heard by the Python listener, which comes back after the daemon", async () => {
  const runtime = runtimeEnvironment();
  const first = await serve(runtime.XDG_RUNTIME_DIR);
  const listener = start("python3", SUBSCRIBING, "reader.py", first.socketPath, join(temporaryDirectory(), "cursor"));
  const speak = async (socketPath: string): Promise<void> => {
    await untilHeard(socketPath, listener.stdout);
    const agent = start("python3", PUBLISHING, "agent.py", socketPath);
    expect([(await agent.ended).code, agent.stderr()]).toEqual([0, ""]);
    expect(agent.stdout()).toContain("session_ended");
  };
  await speak(first.socketPath);
  await eventually(() => expect(listener.stdout()).toContain("session.completed: The book is in."));
  expect(listener.stdout()).toContain("session.started: Looking.");
  expect(listener.stdout()).toContain("next to Dr. Lin's.");
  await first.stop();
  await eventually(() => expect(listener.stderr()).toMatch(/refused|No such file/));
  const again = await serve(runtime.XDG_RUNTIME_DIR);
  expect(again.socketPath).toBe(first.socketPath);
  const heardBefore = listener.stdout().length;
  await speak(again.socketPath);
  await eventually(() => expect(listener.stdout().slice(heardBefore)).toContain("session.completed: The book is in."));
  expect(listener.stderr()).not.toContain("Traceback");
});

itInFull("the JavaScript agent is heard by the JavaScript listener", async () => {
  ensureBuilt();
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const place = join(temporaryDirectory(), "cursor");
  const listener = start(process.execPath, SUBSCRIBING, "reader.mjs", socketPath, place);
  await eventually(() => expect(listener.stdout()).toContain("connected"));
  const agent = start(process.execPath, PUBLISHING, "agent.mjs", socketPath);
  expect(await agent.ended).toMatchObject({ code: 0 });
  expect(agent.stdout()).toMatch(/^session_ended /);
  await eventually(() => expect(listener.stdout()).toContain("One, two, three."));
  await eventually(() => expect(readFileSync(place, "utf8")).toMatch(/^c1\./));
  listener.child.kill("SIGINT");
  expect(await listener.ended).toMatchObject({ code: 0 });
  expect(listener.stderr()).toBe("");
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
  const program = startCommand(
    [process.execPath, join(projectOf(PUBLISHING, "js", "callbacks.mjs"), "callbacks.mjs")],
    {
      environment: { AAEPD_SOCKET: socketPath },
    },
  );
  expect([(await program.ended).code, program.stdout(), program.stderr()]).toEqual([0, "", ""]);
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
