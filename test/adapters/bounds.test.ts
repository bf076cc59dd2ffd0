// R34: however much a peer of a proxy keeps open, a proxy keeps no more than its limits, and what is over a limit is told as over or not done.
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { relayLines } from "../../src/adapters/proxy/line-relay.js";
import { acpStage } from "./acp/acp-stage.js";
import { mcpStage } from "./mcp/mcp-stage.js";

test("ACP: of more than 1,024 calls of a turn the oldest is over", () => {
  const stage = acpStage();
  stage.prompt(1);
  for (let call = 0; call < 1025; call++) {
    stage.update({ sessionUpdate: "tool_call", toolCallId: `t${call}`, title: "x", status: "in_progress" });
    stage.pass(1);
    if (call === 0) stage.pass(1000);
  }
  expect(stage.told().filter((line) => line.startsWith("tool-end"))).toEqual(["tool-end | t0 | cancelled"]);
});

test("ACP: of more than 256 turns the oldest is over, once", () => {
  const stage = acpStage();
  for (let id = 0; id <= 256; id++)
    stage.editor({ id, method: "session/prompt", params: { sessionId: `s${id}`, prompt: [] } });
  expect(stage.told().filter((line) => line.startsWith("end"))).toEqual(["end | cancelled | Stopped."]);
  stage.stop(0);
  expect(stage.told().filter((line) => line.startsWith("end"))).toHaveLength(1);
  stage.stop(256);
  expect(stage.told().at(-1)).toBe("end | completed | Done.");
});

test("ACP: of more than 4,096 requests of the editor without an answer the oldest is forgotten", () => {
  const stage = acpStage();
  stage.prompt(0);
  for (let id = 1; id <= 4097; id++) stage.editor({ id, method: "session/new", params: {} });
  stage.stop(0);
  expect(stage.told().filter((line) => line.startsWith("end"))).toEqual([]);
});

test("ACP: more than 256 open permissions are between agent and editor", () => {
  const stage = acpStage();
  stage.prompt(1);
  for (let id = 10; id < 300; id++) stage.ask(id, { toolCallId: `t${id}` });
  expect(stage.signs.filter(({ kind }) => kind === "question")).toHaveLength(256);
  stage.choose(299, "yes");
  expect(stage.toAgent.at(-1)).toContain('"id":299');
});

test.each([
  ["nested too deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["an object that cannot become a text", '{"toString":1}'],
])("ACP: an argument that is %s is announced, and left to the editor", (_, argument) => {
  const stage = acpStage();
  stage.prompt(1);
  const toolCall = `{"toolCallId":"t","title":"x","rawInput":{"a":${argument}}}`;
  stage.agent(
    `{"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{"sessionId":"s","toolCall":${toolCall},"options":[]}}`,
  );
  expect(stage.told().at(-1)).toMatch(/^state \| awaiting_input/);
});

test("MCP: a task whose id another one has ends that one", () => {
  const stage = mcpStage();
  for (const id of [1, 2]) {
    stage.call(id, "run");
    stage.server({ id, result: { resultType: "task", taskId: "same" } });
  }
  expect(stage.told().at(-1)).toBe("tool-end | call 1 | error");
});

test("lines of our own: a sink that takes none of them is closed", async () => {
  const source = new PassThrough();
  const sink = new Writable({ write: () => {} });
  const { inject, ended } = relayLines({
    source,
    sink,
    reader: { holds: () => false, read: () => "pass" },
    onFault: () => {},
  });
  for (let count = 0; count < 33; count++) inject("x".repeat(1024 * 1024));
  await ended;
  expect([sink.destroyed, source.destroyed]).toEqual([true, true]);
  expect(sink.writableLength).toBeLessThan(33 * 1024 * 1024);
});
