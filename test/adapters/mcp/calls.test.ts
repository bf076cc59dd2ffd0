// What is heard of the calls of both eras of MCP, message by message.
import { expect, test } from "vitest";
import { MODERN, mcpStage } from "./mcp-stage.js";

const result = (id: unknown, members: object = {}) => ({ id, result: { content: [], ...members } });

test("a turn begins at the first call and ends after thirty quiet seconds", () => {
  const stage = mcpStage();
  stage.host({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", clientInfo: { name: "aaepd" } } });
  stage.server({ id: 0, result: { protocolVersion: "2025-11-25", serverInfo: { name: "aaepd" } } });
  stage.host({ method: "notifications/initialized" });
  expect(stage.told()).toEqual([]);
  stage.call(1, "read_note");
  stage.pass(60_000);
  stage.server(result(1));
  stage.pass(29_999);
  expect(stage.told()).toEqual([
    "turn | Uses tools of notes.",
    "tool | call 1 | notes.read_note | read note",
    "tool-end | call 1 | success",
  ]);
  stage.pass(1);
  expect(stage.told().at(-1)).toBe("end | completed | Done.");
  stage.call(1, "read_note");
  expect(stage.told().slice(-2)).toEqual([
    "turn | Uses tools of notes.",
    "tool | call 2 | notes.read_note | read note",
  ]);
});

test("the ids 0, '0' and -1 are three requests, of which each gets its own end", () => {
  const stage = mcpStage();
  for (const id of [0, "0", -1]) stage.call(id, `tool_${id}`);
  stage.server(result("0", { isError: true }));
  stage.server({ id: -1, error: { code: -32603, message: "no" } });
  stage.server(result(0));
  stage.server(result(0));
  expect(stage.told().slice(4)).toEqual([
    "tool-end | call 2 | error",
    "tool-end | call 3 | error",
    "tool-end | call 1 | success",
  ]);
});

test("a tool is called by its title, from the list that passed last", () => {
  const stage = mcpStage();
  stage.host({ id: "list", method: "tools/list", params: {} });
  stage.server({
    id: "list",
    result: {
      tools: [
        { name: "a", title: "Reads `a`\nand more" },
        { name: "b", annotations: { title: "Reads b" } },
      ],
    },
  });
  stage.call(1, "a");
  stage.call(2, "b");
  stage.server({ method: "notifications/tools/list_changed" });
  stage.call(3, "a");
  expect(stage.told().filter((line) => line.startsWith("tool"))).toEqual([
    "tool | call 1 | notes.a | Reads a and 1 more line",
    "tool | call 2 | notes.b | Reads b",
    "tool | call 3 | notes.a | a",
  ]);
});

test("progress is that of the call whose token it has, and nothing without a share and a message", () => {
  const stage = mcpStage();
  stage.call(1, "a", {}, { progressToken: 1 });
  stage.call(2, "b", {}, { progressToken: "1" });
  const progress = (members: object) => stage.server({ method: "notifications/progress", params: members });
  progress({ progressToken: "1", progress: 1, total: 4 });
  progress({ progressToken: 1, progress: 3, message: "Half of it" });
  progress({ progressToken: 1, progress: 4 });
  progress({ progressToken: 1, progress: 9, total: 0 });
  progress({ progressToken: 7, progress: 1, total: 2 });
  stage.server(result(1));
  progress({ progressToken: 1, progress: 5, message: "late" });
  expect(stage.told().filter((line) => line.startsWith("progress"))).toEqual([
    "progress | call 2 | 25",
    "progress | call 1 | Half of it",
  ]);
});

test("a call that the host cancels ends at once, and its late result is not heard", () => {
  const stage = mcpStage();
  stage.call(7, "a");
  stage.host({ method: "notifications/of_next_year", params: { requestId: 7 } });
  expect(stage.told()).toHaveLength(2);
  stage.host({ method: "notifications/cancelled", params: { requestId: "7" } });
  stage.host({ method: "notifications/cancelled", params: { requestId: 7 } });
  stage.server(result(7));
  expect(stage.told().slice(2)).toEqual(["tool-end | call 1 | cancelled"]);
  expect(stage.toServer).toHaveLength(4);
});

test("a form is announced, and a page by its host", () => {
  const stage = mcpStage();
  const ask = (params: object) => stage.server({ id: 1, method: "elicitation/create", params });
  ask({ message: "Before any call" });
  stage.call(1, "a");
  ask({ message: "Which note?", requestedSchema: {} });
  ask({ mode: "url", message: "Sign in", url: "https://id.example.org/path?secret=1" });
  expect(stage.told().slice(2)).toEqual([
    "state | awaiting_input | Which note? Answer it in the agent’s own window.",
    "state | awaiting_input | It asks you to open id.example.org in the agent’s own window.",
  ]);
});

test("2026-07-28: a call that is sent again with what the server asked for is one tool", () => {
  const stage = mcpStage();
  const params = { name: "a", arguments: { x: 1 }, _meta: MODERN };
  stage.host({ id: 1, method: "tools/call", params });
  const inputRequests = {
    k: { method: "elicitation/create", params: { message: "Which note?" } },
    l: { method: "roots/list" },
  };
  stage.server({ id: 1, result: { resultType: "input_required", inputRequests, requestState: "s" } });
  stage.pass(600_000);
  // Another call with the same arguments is a call of its own.
  stage.host({ id: 2, method: "tools/call", params });
  const again = {
    ...params,
    _meta: { ...MODERN, progressToken: 3 },
    inputResponses: { k: { action: "accept" } },
    requestState: "s",
  };
  stage.host({ id: 3, method: "tools/call", params: again });
  stage.server({ method: "notifications/progress", params: { progressToken: 3, progress: 1, total: 2 } });
  stage.server({ id: 3, result: { resultType: "complete", content: [] } });
  expect(stage.told().slice(1)).toEqual([
    "tool | call 1 | notes.a | a",
    "state | awaiting_input | Which note? Answer it in the agent’s own window.",
    "tool | call 2 | notes.a | a",
    "progress | call 1 | 50",
    "tool-end | call 1 | success",
  ]);
});

test.each([
  ["2026-07-28", { resultType: "task", taskId: "t", status: "working" }, "notifications/tasks"],
  ["2025-11-25", { task: { taskId: "t", status: "working" } }, "notifications/tasks/status"],
])("%s: a call that becomes a task ends with the task", (_, created, notification) => {
  const stage = mcpStage();
  stage.call(1, "a");
  stage.server({ id: 1, result: created });
  stage.host({ id: 2, method: "tasks/get", params: { taskId: "t" } });
  stage.server({ id: 2, result: { taskId: "t", status: "working", statusMessage: "Reads on" } });
  stage.server({ method: notification, params: { taskId: "other", status: "failed" } });
  stage.server({ method: notification, params: { taskId: "t", status: "failed" } });
  stage.server({ method: notification, params: { taskId: "t", status: "completed" } });
  expect(stage.told().slice(2)).toEqual(["progress | call 1 | Reads on", "tool-end | call 1 | error"]);
});

test("the end of the server is told, and a host that closes ends in order", () => {
  const died = mcpStage();
  died.call(1, "a");
  expect(died.adapter.ended("SIGKILL", false).signs).toEqual([
    { kind: "end", turn: "turn 1", how: "errored", words: "The program has ended: SIGKILL.", code: "SERVER_EXITED" },
  ]);
  const closed = mcpStage();
  closed.call(1, "a");
  expect(closed.adapter.ended("0", true).signs).toMatchObject([{ kind: "end", how: "completed" }]);
  expect(mcpStage().adapter.ended("0", true).signs).toEqual([]);
});

test("calls that no server answers are forgotten, the oldest first", () => {
  const stage = mcpStage();
  for (let id = 0; id < 1030; id++) stage.call(id, "a");
  expect(stage.told().filter((line) => line.startsWith("tool-end"))).toHaveLength(6);
  expect(stage.told()).toContain("tool-end | call 1 | cancelled");
});
