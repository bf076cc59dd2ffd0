// What the adapters of frameworks share, on a real daemon, and what the programs of test/tools/frameworks.test.ts do not meet.
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { heard } from "../../../src/client/frameworks/ai-sdk.js";
import { heard as langchainHeard } from "../../../src/client/frameworks/langchain.js";
import { runHeard } from "../../../src/client/frameworks/openai-agents.js";
import { toldCalls } from "../../../src/client/frameworks/told-calls.js";
import { eventually, serve } from "../../cli/command-stage.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { accepts, type ListenOptions, listenAt, openedAt, rejects } from "../agent/agent-stage.js";

const BURN = { id: "call-1", name: "burn", input: { file: "old\u202e.txt", force_it: true } };

async function stage(answer?: ListenOptions["answer"]) {
  const { socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
  const heard = await listenAt(socketPath, { answer });
  const { agent } = await openedAt(socketPath);
  return { session: agent.session("Tidies."), heard, socketPath };
}

test("a question says each argument, and hides nothing; a reply decides", async () => {
  const { session, heard } = await stage(accepts);
  const calls = toldCalls(session);
  expect(await calls.ask(BURN)).toBe("accept");
  expect(await calls.ask({ ...BURN, id: undefined, input: undefined })).toBe("accept");
  const asked = heard.events.filter(({ type }) => type.endsWith("awaiting.confirmation"));
  expect(asked.map(({ action, consequence }) => ({ action, consequence }))).toEqual([
    { action: "Use burn", consequence: "file: old\\u202e.txt\nforce it: true" },
    { action: "Use burn", consequence: "It has no arguments." },
  ]);
});

test("a question that is longer than AAEP takes is not asked", async () => {
  const { session, heard } = await stage(accepts);
  expect(await toldCalls(session).ask({ ...BURN, input: { text: "x".repeat(16_000) } })).toBeUndefined();
  session.complete();
  await eventually(() => expect(heard.lines.at(-1)).toContain("session.completed"));
  expect(heard.lines.filter((line) => line.startsWith("awaiting"))).toEqual([]);
});

test("arguments that are nested too deeply to be told whole are not asked about", async () => {
  const { session, heard } = await stage(accepts);
  let input: object = { command: "rm" };
  for (let depth = 0; depth < 70; depth += 1) input = { input };
  expect(await toldCalls(session).ask({ ...BURN, input })).toBeUndefined();
  session.complete();
  await eventually(() => expect(heard.lines.at(-1)).toContain("session.completed"));
  expect(heard.lines.filter((line) => line.startsWith("awaiting"))).toEqual([]);
});

test("the AI SDK keeps the approvals of the program, unless tools are named", async () => {
  const { session } = await stage();
  expect({ toolApproval: "own", ...heard(session) }.toolApproval).toBe("own");
  expect(Object.keys(heard(session, { ask: ["burn"] }).toolApproval ?? {})).toEqual(["burn"]);
});

test("a call that nobody decided is the host's: it is not asked again, and runs once, as allowed by the host", async () => {
  const { session, heard, socketPath } = await stage();
  expect(await toldCalls(session).ask(BURN)).toBeUndefined();
  // Somebody who could answer now is too late.
  await listenAt(socketPath, { name: "late", answer: rejects });
  expect(await toldCalls(session).ask(BURN)).toBeUndefined();
  toldCalls(session, { words: ({ name }) => `Does ${name}.`, subagent: "Stock" }).begin(BURN);
  toldCalls(session).begin(BURN);
  toldCalls(session).end("call-1", "success");
  session.complete();
  await eventually(() => expect(heard.lines.at(-1)).toContain("session.completed"));
  expect(heard.lines.filter((line) => /^(tool|awaiting)/.test(line))).toEqual([
    "tool.invoked | burn | Stock: Does burn.",
    "tool.completed | burn | success",
  ]);
  const begun = heard.events.find(({ type }) => type.endsWith("tool.invoked"));
  expect(begun?.extensions?.aaepd?.approved_by).toBe("host");
});

test("LangChain: the text of a model that cannot stream is heard at its end; a tool may hand on its own error", async () => {
  const { session, heard } = await stage();
  const handler = langchainHeard(session);
  handler.handleLLMEnd({ generations: [[{ text: "I look." }]] }, "model-1");
  for (const [run, output] of Object.entries({ a: { status: "error" }, b: { status: "success" }, c: "text" })) {
    handler.handleToolStart({}, "{}", run, undefined, [], {}, "count");
    handler.handleToolEnd(output, run);
  }
  session.complete();
  await eventually(() => expect(heard.lines.at(-1)).toContain("session.completed"));
  expect(heard.text()).toBe("I look.");
  expect(heard.lines.filter((line) => line.startsWith("tool.completed"))).toEqual([
    "tool.completed | count | error",
    "tool.completed | count | success",
    "tool.completed | count | success",
  ]);
});

test("the OpenAI Agents SDK: text and handoffs of a run are heard, which rejects as it does once its stream is over", async () => {
  const { session, heard } = await stage();
  const result = {
    async *[Symbol.asyncIterator]() {
      yield { type: "raw_model_stream_event", data: { type: "output_text_delta", delta: "I look." } };
      yield { type: "raw_model_stream_event", data: { type: "response_started" } };
      runner.emit("agent_handoff", {}, agent, { name: "Stock" });
    },
    get completed() {
      return Promise.reject(new Error("Too many turns."));
    },
    state: { approve: () => {}, reject: () => {} },
  };
  const agent = Object.assign(new EventEmitter(), { name: "Shop" });
  const runner = Object.assign(new EventEmitter(), { run: async () => result });
  await expect(runHeard(runner, agent, "Count.", session)).rejects.toThrow("Too many turns.");
  session.complete();
  await eventually(() => expect(heard.lines.at(-1)).toContain("session.completed"));
  expect(heard.text()).toBe("I look.");
  expect(heard.lines).toContain("state.changed | thinking | Hands over to Stock.");
});
