// Every message of ACP 1, and what is heard of it.
import { describe, expect, test } from "vitest";
import { acpStage } from "./acp-stage.js";

const chunk = (text: string, messageId?: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...(messageId === undefined ? {} : { messageId }),
});
const call = (fields: object) => ({ sessionUpdate: "tool_call", toolCallId: "t", ...fields });

const plan = (...steps: readonly string[]) => ({
  sessionUpdate: "plan",
  entries: steps.map((step) => ({ content: step.split(": ")[0], status: step.split(": ")[1] })),
});
const thought = { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } };

/** Updates in a turn, and what is told of them until the agent goes on, without the beginning of the turn. */
const UPDATES: Readonly<Record<string, readonly [readonly object[], readonly string[]]>> = {
  "text, as it comes": [
    [chunk("Hel"), chunk("lo.")],
    ["text |  | Hel", "text |  | lo."],
  ],
  "text of another message": [
    [chunk("One.", "m1"), chunk("Two.", "m2")],
    ["text-end", "text | m1 | One.", "text-end", "text | m2 | Two."],
  ],
  "what is no text": [
    [{ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } }],
    [],
  ],
  "thoughts, as a state": [[thought, thought], ["state | thinking"]],
  "an echo of the request": [[{ sessionUpdate: "user_message_chunk", content: { type: "text", text: "Hi" } }], []],
  "a file that is edited": [
    [
      call({
        title: "Edit `/home/u/shop/config.ts`",
        kind: "edit",
        status: "completed",
        locations: [{ path: "/home/u/shop/config.ts" }],
      }),
    ],
    ["tool | t | edit | Edits config.ts", "tool-end | t | success"],
  ],
  "several files, by their diffs": [
    [
      call({
        title: "Rewrite",
        kind: "edit",
        status: "completed",
        content: [
          { type: "diff", path: "/a/one.ts", newText: "1" },
          { type: "diff", path: "/a/two.ts", newText: "2" },
        ],
      }),
    ],
    ["tool | t | edit | Edits one.ts and 1 more file", "tool-end | t | success"],
  ],
  "a command of several lines": [
    [call({ title: "`cd /home/u/shop\nnpm test\nnpm run lint`", kind: "execute", status: "failed", name: "Bash" })],
    ["tool | t | Bash | Runs cd shop and 2 more lines", "tool-end | t | error"],
  ],
  "an address": [
    [
      call({
        title: "Fetch",
        kind: "fetch",
        status: "completed",
        rawInput: { url: "https://example.org/secret?token=1" },
      }),
    ],
    ["tool | t | fetch | Fetches example.org", "tool-end | t | success"],
  ],
  "a title that changes before it runs": [
    [
      call({ title: "bash", kind: "execute", status: "pending" }),
      { sessionUpdate: "tool_call_update", toolCallId: "t", title: "ls -la", status: "in_progress" },
      { sessionUpdate: "tool_call_update", toolCallId: "t", title: null, status: "completed" },
      chunk("Done."),
    ],
    ["tool | t | execute | Runs ls -la", "tool-end | t | success", "text |  | Done."],
  ],
  "a title that begins with the verb": [
    [call({ title: "Run npm test", kind: "execute", status: "completed" })],
    ["tool | t | execute | Runs npm test", "tool-end | t | success"],
  ],
  "an update of a call that nobody began": [
    [{ sessionUpdate: "tool_call_update", toolCallId: "t", title: "Look", status: "completed" }],
    ["tool | t | tool | Look", "tool-end | t | success"],
  ],
  "calls that end at once, before what follows them": [
    [
      call({ title: "One", status: "completed" }),
      call({ toolCallId: "u", title: "Two", status: "completed" }),
      thought,
    ],
    [
      "tool | t | tool | One",
      "tool-end | t | success",
      "tool | u | tool | Two",
      "tool-end | u | success",
      "state | thinking",
    ],
  ],
  "a plan, when its step changes": [
    [
      plan("Read: in_progress", "Write: pending"),
      plan("Read: in_progress", "Write: pending"),
      plan("Read: completed", "Write `a`: in_progress"),
      plan("Read: completed", "Write: completed"),
      plan(),
    ],
    ["progress | 1 | 2 | Read", "progress | 2 | 2 | Write a"],
  ],
  "a mode, by its name": [
    [{ sessionUpdate: "current_mode_update", currentModeId: "code" }],
    ["state | thinking | Mode: Write code."],
  ],
  "a notice": [
    [{ sessionUpdate: "notice", severity: "error", title: "The model is busy.", description: "Long." }],
    ["state | thinking | The model is busy."],
  ],
  "a compaction": [
    [
      { sessionUpdate: "compaction_update", status: "in_progress" },
      { sessionUpdate: "compaction_update", status: "completed" },
    ],
    ["state | thinking | Compacts the conversation."],
  ],
  "a subagent": [
    [{ sessionUpdate: "subagent_update", sessionId: "child", title: "Search" }],
    ["state | thinking | Subagent Search: Works on your request."],
  ],
  "what is not for people": [
    [
      { sessionUpdate: "available_commands_update", availableCommands: [] },
      { sessionUpdate: "config_option_update", configOptions: [] },
      { sessionUpdate: "session_info_update", title: "Tests" },
      { sessionUpdate: "usage_update", used: 9, size: 10 },
      { sessionUpdate: "compaction_summary_chunk", content: { type: "text", text: "Secret." } },
      { sessionUpdate: "of_next_year", text: "?" },
      {},
    ],
    [],
  ],
};

function opened(options = {}) {
  const on = acpStage(options);
  on.editor({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
  on.agent({ id: 1, result: { protocolVersion: 1, agentInfo: { name: "aaepd", title: "The daemon" } } });
  on.editor({ id: 2, method: "session/new", params: { cwd: "/home/u/shop", mcpServers: [] } });
  on.agent({
    id: 2,
    result: { sessionId: "s", modes: { currentModeId: "ask", availableModes: [{ id: "code", name: "Write code" }] } },
  });
  return on;
}

describe("an update is heard", () => {
  test.each(Object.entries(UPDATES))("%s", (_, [updates, told]) => {
    const on = opened();
    on.prompt(3);
    on.signs.length = 0;
    for (const update of updates) on.update(update);
    on.pass(1000);
    expect(on.told()).toEqual(told);
  });
});

test("before and after a turn nothing is heard, and a session that is opened begins none", () => {
  const on = opened();
  for (const [updates] of Object.values(UPDATES)) for (const update of updates) on.update(update);
  on.pass(1000);
  expect(on.told()).toEqual([]);
  on.prompt(3, "Mend `it`\nplease.");
  expect(on.told()).toEqual(["turn | Mend it please. | s | /home/u/shop"]);
  on.stop(3);
  on.update(chunk("Too late."));
  expect(on.told().slice(1)).toEqual(["end | completed | Done."]);
});

test("a history of 1,000 updates is silent, and the request behind it is heard", () => {
  const on = opened();
  const before = on.toEditor.length;
  on.editor({ id: 5, method: "session/load", params: { sessionId: "s", cwd: "/home/u/shop", mcpServers: [] } });
  for (let at = 0; at < 500; at++) {
    on.update(chunk(`Old ${at}.`));
    on.update(call({ toolCallId: `t${at}`, title: "Old", status: "completed" }));
  }
  on.agent({ id: 5, result: {} });
  on.pass(10_000);
  expect(on.told()).toEqual([]);
  expect(on.toEditor).toHaveLength(before + 1001);
  on.prompt(6);
  on.update(chunk("New."));
  expect(on.told().slice(1)).toEqual(["text |  | New."]);
});

test.each([
  ["end_turn", "end | completed | Done."],
  ["max_tokens", "end | completed | Stopped: it reached its limit."],
  ["max_turn_requests", "end | completed | Stopped: it reached its limit."],
  ["refusal", "end | completed | It refused."],
  ["cancelled", "end | cancelled | Stopped."],
])("a turn that stops by %s", (reason, told) => {
  const on = opened();
  on.prompt(3);
  on.stop(3, reason);
  expect(on.told().at(-1)).toBe(told);
});

test.each([
  [{ code: -32603, message: "Secret path /x." }, "end | errored | It ended with an error. | AGENT_ERROR"],
  [{ code: -32000, message: "Authentication required" }, "end | errored | It needs you to sign in. | AGENT_ERROR"],
])("a turn that fails with %o", (error, told) => {
  const on = opened();
  on.prompt(3);
  on.agent({ id: 3, error });
  expect(on.told().at(-1)).toBe(told);
});

test("an agent that exits ends its turns, and an editor that has gone cancels them", () => {
  for (const [isAfterHost, told] of [
    [false, "end | errored | The agent has ended unexpectedly: 3. | AGENT_EXITED"],
    [true, "end | cancelled | The agent’s window was closed."],
  ] as const) {
    const on = opened();
    on.prompt(3);
    on.ask(0, { title: "x", kind: "execute" });
    on.follow(on.adapter.ended("3", isAfterHost));
    expect(on.told().slice(-2)).toEqual(["question-over | question 1", told]);
  }
});

test("what is left open in a turn is closed before its end", () => {
  const on = opened();
  on.prompt(3);
  on.update(call({ title: "a", status: "in_progress" }));
  on.pass(1000);
  on.update(call({ toolCallId: "u", title: "b", status: "pending" }));
  on.stop(3);
  expect(on.told().slice(1)).toEqual(["tool | t | tool | a", "tool-end | t | error", "end | completed | Done."]);
});

test("two requests of one session are two turns, and updates belong to the first that is not answered", () => {
  const on = opened();
  on.prompt(3, "One");
  on.prompt(4, "Two");
  on.update(chunk("1."));
  on.stop(3);
  on.update(chunk("2."));
  on.stop(4);
  expect(on.signs.map(({ kind, turn }) => `${turn} ${kind}`)).toEqual([
    "turn 1 turn",
    "turn 2 turn",
    "turn 1 text",
    "turn 1 end",
    "turn 2 text",
    "turn 2 end",
  ]);
});

test("the tools of a subagent are heard with its title, and its text is not", () => {
  const on = opened();
  on.prompt(3);
  on.update({ sessionUpdate: "subagent_update", sessionId: "child", title: "Search" });
  on.signs.length = 0;
  const ofChild = (update: object) => on.agent({ method: "session/update", params: { sessionId: "child", update } });
  ofChild(chunk("Between us."));
  ofChild(call({ title: "grep x", kind: "search", status: "completed" }));
  on.update(call({ title: "Look", status: "completed" }));
  on.pass(1000);
  expect(on.told()).toEqual([
    "tool | child\nt | search | Subagent Search: grep x",
    "tool-end | child\nt | success",
    "tool | t | tool | Look",
    "tool-end | t | success",
  ]);
});

test("of an agent of another version only turns are heard", () => {
  const on = acpStage();
  on.editor({ id: 1, method: "initialize", params: { protocolVersion: 2 } });
  on.agent({ id: 1, result: { protocolVersion: 2 } });
  on.prompt(3);
  on.update(chunk("Of the future."));
  on.ask(0, { title: "x", kind: "execute" });
  on.stop(3);
  expect(on.signs.map(({ kind }) => kind)).toEqual(["turn", "end"]);
});

test("a form and an address of the agent are announced, and left to its own window", () => {
  const on = opened();
  on.prompt(3);
  on.agent({
    id: 0,
    method: "elicitation/create",
    params: { sessionId: "s", mode: "form", message: "Which branch?", requestedSchema: {} },
  });
  on.agent({
    id: 1,
    method: "elicitation/create",
    params: { sessionId: "s", mode: "url", message: "Sign in", url: "https://example.org/a?b", elicitationId: "e" },
  });
  on.agent({ id: 2, method: "terminal/create", params: { sessionId: "s", command: "/usr/bin/make" } });
  expect(on.told().slice(1)).toEqual([
    "state | awaiting_input | Which branch? Answer it in the agent’s own window.",
    "state | awaiting_input | It asks you to open example.org in the agent’s own window.",
    "state | thinking | Runs make",
  ]);
});

test("options: the words of a request can be left out, and thoughts told", () => {
  const on = opened({ saysPrompts: false, tellsThoughts: true });
  on.prompt(3, "Secret.");
  on.update(thought);
  expect(on.told()).toEqual(["turn | Works on your request. | s | /home/u/shop", "text |  | Hm."]);
});

test("what is no message, or could be read in two ways, is passed on and not read", () => {
  const on = opened();
  for (const text of [
    "",
    "null",
    "[]",
    "{",
    '{"id":3,"id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}',
  ]) {
    on.editor(text);
    on.agent(text);
  }
  expect(on.told()).toEqual([]);
  expect(on.toAgent.slice(-5)).toEqual(on.toEditor.slice(-5));
});
