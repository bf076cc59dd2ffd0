// What listeners hear of the sessions and calls of A2E.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { MOST_REQUEST_UNITS } from "../../../src/protocols/a2e/providers/a2e-services.js";
import { typesOf } from "../../support/rigs/engine-rig.js";
import { type A2eStage, answerTo, base, createA2eStage, opened, requestsOf, toolCall, toolsOf } from "./a2e-stage.js";

describe("what listeners hear", () => {
  const eventsOf = (stage: A2eStage) => {
    const reader = stage.listen({ coalesceBoundaries: ["none"] });
    return () => {
      stage.clock.settle();
      return reader.received.map(({ event }) => event);
    };
  };

  it("a session, its calls, their progress and their ends", () => {
    const stage = createA2eStage({ options: { shownArguments: () => new Set(["city", "deep", "absent"]) } });
    const heard = eventsOf(stage);
    const provider = stage.provider();
    const agent = stage.agent(["tools"], "trip-planner");
    agent.say(toolCall("c1", "book hotel", { arguments: { city: "Lagos", password: "hunter2", deep: { x: 1 } } }));
    const [{ id } = {}] = requestsOf(provider);
    const event = (kind: string, data: unknown, seq: number) =>
      provider.say(base("invoke/event", `e${seq}`, { req_id: id, kind, data, seq }));
    event("progress", { pct: 33.33, message: "Looking." }, 0);
    event("status", { message: "Found one." }, 1);
    event("artifact", { name: "half.pdf", final: false }, 1);
    event("log", { level: "info", message: "secret" }, 2);
    event("artifact", { name: "plan.pdf", mime: "application/pdf", chunk: "AA==", final: false }, 3);
    event("artifact", { name: "plan.pdf", mime: "application/pdf", chunk: "AA==", final: true }, 4);
    event("progress", { pct: 400 }, 5);
    event("progress", "half", 6);
    provider.say(answerTo({ id }));
    agent.say(toolCall("c2", "fly"));
    provider.say(base("error", "x", { req_id: provider.last().id, code: "sandbox_crash", message: "hunter2" }));
    agent.say(base("shutdown", "s"));
    const events = heard();
    expect(typesOf(events.map((one) => ({ event: one })))).toEqual([
      "session.started",
      "tool.invoked",
      "progress.updated",
      "progress.updated",
      "progress.updated",
      "tool.completed",
      "tool.invoked",
      "tool.completed",
      "session.completed",
    ]);
    expect(events[0]).toMatchObject({
      producer: { agent_id: "trip-planner" },
      session_id: `sess_${String(agent.received[0]?.session_id)}`,
      summary_normal: "trip-planner has begun. It may use: tools.",
    });
    expect(events[1]).toMatchObject({
      tool: "book_hotel",
      summary_normal: "trip-planner uses book hotel. With city: Lagos.",
    });
    expect(events[2]?.progress).toEqual({ percent: 33, description: "Looking." });
    expect(events[3]?.progress).toEqual({ description: "Found one." });
    expect(events[4]?.progress).toMatchObject({ description: "book hotel has made the file plan.pdf." });
    expect(events[5]).toMatchObject({ tool: "book_hotel", status: "success", tool_call_id: events[1]?.tool_call_id });
    expect(events[7]).toMatchObject({ tool: "fly", status: "error", summary_normal: "fly failed: sandbox_crash." });
    expect(events[8]?.summary_normal).toBe("trip-planner has finished.");
    expect(JSON.stringify(events)).not.toContain("hunter2");
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("types beside tool calls by their names, and a timeout as one", () => {
    const { stage, agent, provider } = opened({}, ["skill", "memory"]);
    const heard = eventsOf(stage);
    agent.say(base("skill/execute/req", "s1", { skill: "cook", timeout: 1 }));
    stage.advance(1000);
    agent.say(base("memory/get/req", "m1"));
    provider.say(base("memory/get/resp", "r", { req_id: provider.last().id, value: 1 }));
    agent.say(base("memory/note", "n1", { text: "Sea." }));
    expect(provider.last()).toMatchObject({ type: "memory/note", id: "n1", text: "Sea." });
    const tools = heard().filter(({ type }) => type.includes("tool"));
    expect(tools.map(({ tool, status }) => [tool, status])).toEqual([
      ["skill.execute", undefined],
      ["skill.execute", "timeout"],
      ["memory.get", undefined],
      ["memory.get", "success"],
      ["memory.note", undefined],
      ["memory.note", "success"],
    ]);
  });

  it("that the agent rests, a second after the last of its calls, also if another was refused", () => {
    const { stage, agent, provider } = opened();
    const heard = eventsOf(stage);
    const states = () =>
      heard().flatMap(({ from_state, to_state }) => (from_state === "calling_tool" ? [to_state] : []));
    for (const id of ["c1", "c2"]) {
      agent.say(toolCall(id, "search"));
      stage.advance(900);
      provider.say(answerTo(provider.last()));
      stage.advance(900);
    }
    expect(states()).toEqual([]);
    stage.services.room.add(MOST_REQUEST_UNITS);
    agent.say(toolCall("c3", "search", { arguments: { text: "x".repeat(65_536) } }));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c3" });
    stage.advance(100);
    expect(states()).toEqual(["idle"]);
  });

  it("a call that could not be announced is not made", () => {
    let isFailing = false;
    const stage = createA2eStage({
      around: () => ({
        refusal: () => (isFailing ? new Fault("storage_unavailable", "The disk is full.") : undefined),
      }),
    });
    const provider = stage.provider();
    const agent = stage.agent();
    isFailing = true;
    agent.say(toolCall("c1", "t1"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", retryable: true, req_id: "c1" });
    agent.say(base("tool/note", "n1"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "n1" });
    expect(provider.last()).toMatchObject({ type: "aaepd.a2e.registered" });
    isFailing = false;
    agent.say(toolCall("c2", "t2"));
    expect(toolsOf(requestsOf(provider))).toEqual(["t2"]);
  });
});

describe("a result says itself whether the call failed", () => {
  it.each<[string, Record<string, unknown>, string, string | undefined]>([
    ["success false", { data: { success: false } }, "error", "runtime_error"],
    ["a code", { data: { success: false, code: "no_such_file" } }, "error", "no_such_file"],
    [
      "an error with a code",
      { data: { success: false, error: { code: "denied", message: "No." } } },
      "error",
      "denied",
    ],
    ["an error that is a sentence", { data: { success: false, error: "x".repeat(65) } }, "error", "runtime_error"],
    ["an error in words", { data: { success: false, error: "no such file" } }, "error", "runtime_error"],
    ["ok false beside the data", { ok: false, error: "denied", data: null }, "error", "denied"],
    ["the result of a check", { data: { ok: false, error: "denied" } }, "success", undefined],
    ["a time limit", { data: { success: false, error: "timeout" } }, "timeout", "timeout"],
    ["an error of MCP", { data: { content: [], isError: true } }, "error", "runtime_error"],
    ["success false beside the data", { success: false, data: null }, "error", "runtime_error"],
    ["success true", { data: { success: true, error: null } }, "success", undefined],
    ["a word for it", { data: { success: "false", isError: "true" } }, "success", undefined],
    ["a list", { data: [{ success: false }] }, "success", undefined],
    ["nothing", { data: null }, "success", undefined],
  ])("%s", (_, fields, status, code) => {
    const stage = createA2eStage();
    const provider = stage.provider();
    const reader = stage.listen();
    const agent = stage.agent();
    agent.say(toolCall("c1", "search"));
    provider.say({ ...answerTo(provider.last()), ...fields });
    const told = reader.received.find(({ event }) => event.type === "aaep:agent.tool.completed")?.event;
    expect(told?.status).toBe(status);
    if (code === undefined) expect(told?.summary_normal).toBeUndefined();
    else expect(told?.summary_normal).toBe(`search failed: ${code}.`);
    // The agent gets what the provider answered.
    expect(agent.last()).toMatchObject({ type: "tool/call/resp", req_id: "c1", ...fields });
  });
});
