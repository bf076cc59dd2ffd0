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
import { startCommand } from "../support/peers/program.js";

const SUBSCRIBING = docPage("subscribing.md");
const PUBLISHING = docPage("publishing.md");

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

test("the messages that subscribing.md shows are valid", () => {
  const [, block = ""] = /```json\n([\s\S]*?)\n```/.exec(SUBSCRIBING) ?? [];
  const [renegotiate, skip, repeat, list] = block.split("\n").map((line) => JSON.parse(line));
  expect(isSubscriptionRenegotiate(renegotiate)).toBe(true);
  expect(isAaepdSkip(skip)).toBe(true);
  expect(isAaepdRepeat(repeat)).toBe(true);
  expect(isAaepdListPending(list)).toBe(true);
});

test("the codes that publishing.md explains exist", () => {
  const table = PUBLISHING.slice(
    PUBLISHING.indexOf("## The order of events"),
    PUBLISHING.indexOf("## When the connection"),
  );
  const codes = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes) expect(FAULT_CODES).toContain(code);
});
