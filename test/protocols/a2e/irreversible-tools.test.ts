// R5: a tool that cannot be undone waits for a yes.
import { describe, expect, it } from "vitest";
import { ABLE, give, questionsIn } from "../../support/rigs/question-rig.js";
import { answersOf, answerTo, base, createA2eStage, requestsOf, toolCall, toolsOf } from "./a2e-stage.js";

describe("R5: a tool that cannot be undone", () => {
  function asked(more: Parameters<typeof createA2eStage>[0] = {}) {
    const stage = createA2eStage({
      ...more,
      options: { isIrreversible: (tool) => tool === "delete file", maxParallel: () => 2 },
    });
    const provider = stage.provider();
    const reader = stage.listen(ABLE);
    const agent = stage.agent();
    agent.say(toolCall("c1", "delete file", { timeout: 10 }));
    const question = reader.received.find(({ event }) => event.type === "aaep:agent.awaiting.confirmation")?.event;
    return { stage, provider, reader, agent, question, token: String(question?.reply_token) };
  }

  it("waits for a yes, announces the call as irreversible, and then has its whole time", () => {
    const { stage, provider, reader, agent, question, token } = asked();
    expect(question).toMatchObject({
      action: "my-agent wants to use delete file.",
      consequence: "Effects of delete file cannot be undone.",
      default_decision: "reject",
      timeout_seconds: 60,
      irreversible: true,
      urgency: "critical",
    });
    expect(requestsOf(provider)).toEqual([]);
    stage.advance(30_000);
    expect(give(stage.rig, reader, token, "accept")).toBe(true);
    expect(toolsOf(requestsOf(provider))).toEqual(["delete file"]);
    const invoked = reader.received.find(({ event }) => event.type === "aaep:agent.tool.invoked")?.event;
    expect(invoked).toMatchObject({ tool: "delete_file", irreversible: true, risk_level: "high" });
    stage.advance(9999);
    expect(answersOf(agent)).toEqual([]);
    provider.say(answerTo(provider.last(), "gone"));
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "gone" });
  });

  it.each(["runtime_error", "timeout"])("without an answer of its provider (%s) it is not to be made again", (code) => {
    const { stage, provider, reader, agent, token } = asked();
    give(stage.rig, reader, token, "accept");
    if (code === "timeout") stage.advance(10_000);
    else provider.hangUp();
    stage.advance(0);
    const message = expect.stringContaining("may have had its effect");
    expect(agent.last()).toMatchObject({ code, req_id: "c1", retryable: false, message });
  });

  it("nor is it where its agent shuts down before the answer", () => {
    const { stage, reader, agent, token } = asked();
    give(stage.rig, reader, token, "accept");
    agent.say(base("shutdown", "s", { timeout: 1 }));
    stage.advance(1000);
    expect(agent.last()).toMatchObject({ code: "timeout", req_id: "c1", retryable: false });
  });

  it("a no is runtime_error, which must not be sent again", () => {
    const { stage, provider, reader, agent, token } = asked();
    give(stage.rig, reader, token, "reject");
    expect(agent.last()).toMatchObject({
      code: "runtime_error",
      retryable: false,
      detail: "confirmation_rejected",
      req_id: "c1",
      capability_name: "tools",
    });
    expect(requestsOf(provider)).toEqual([]);
  });

  it("so is nobody's answer, and a listener that leaves", () => {
    const { stage, provider, agent } = asked();
    stage.advance(60_000);
    expect(agent.last()).toMatchObject({ code: "runtime_error", detail: "confirmation_rejected" });
    const alone = createA2eStage({ options: { isIrreversible: (tool) => tool === "delete file" } });
    alone.provider();
    const other = alone.agent();
    other.say(toolCall("c1", "delete file"));
    alone.advance(0);
    expect(other.last()).toMatchObject({ detail: "confirmation_rejected" });
    expect(requestsOf(provider)).toEqual([]);
  });

  it("R5c: nobody is asked for a call that has no provider any more", () => {
    const { stage, provider, reader, agent, token } = asked();
    give(stage.rig, reader, token, "reject");
    provider.hangUp();
    agent.say(toolCall("c2", "delete file"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c2", retryable: true });
    expect(questionsIn(reader)).toHaveLength(1);
  });

  it("the question goes with its agent, and with its session", () => {
    const { stage, reader, agent, token, provider } = asked();
    agent.hangUp();
    expect(give(stage.rig, reader, token, "accept")).toBe(false);
    const again = asked();
    again.agent.say(base("shutdown", "s", { timeout: 1 }));
    again.stage.advance(1000);
    expect(again.agent.last()).toMatchObject({ code: "timeout", req_id: "c1" });
    expect(give(again.stage.rig, again.reader, again.token, "accept")).toBe(false);
    expect([...requestsOf(provider), ...requestsOf(again.provider)]).toEqual([]);
  });

  it("is not called for an agent that has gone before its question was withdrawn", () => {
    const { stage, reader, agent, token, provider } = asked();
    Object.assign(stage.engine, { inTurn: () => {} });
    agent.hangUp();
    expect(give(stage.rig, reader, token, "accept")).toBe(true);
    expect(requestsOf(provider)).toEqual([]);
  });

  it("R29: is not called before its record is safe, and never for an agent that has gone by then", async () => {
    for (const isThere of [true, false]) {
      let isSafe = (): void => {};
      const durable = new Promise<void>((resolve) => {
        isSafe = resolve;
      });
      const { stage, reader, agent, token, provider } = asked({
        around: ({ append }) => ({
          append: (events) => ({
            ...append(events),
            ...(events.some(({ kind }) => kind === "tool.invoked") ? { durable } : {}),
          }),
        }),
      });
      give(stage.rig, reader, token, "accept");
      expect(requestsOf(provider)).toEqual([]);
      if (!isThere) agent.hangUp();
      isSafe();
      await new Promise(setImmediate);
      expect(toolsOf(requestsOf(provider))).toEqual(isThere ? ["delete file"] : []);
    }
  });

  it("the question goes when the agent's input ends, and nothing is forwarded after it", () => {
    const { stage, reader, agent, token, provider } = asked();
    agent.say(toolCall("c2", "plain"));
    agent.session.inputEnded();
    expect(agent.last()).toMatchObject({ req_id: "c1", code: "runtime_error", retryable: false });
    expect(give(stage.rig, reader, token, "accept")).toBe(false);
    expect(toolsOf(requestsOf(provider))).toEqual(["plain"]);
    provider.say(answerTo(provider.last()));
    expect([agent.last().req_id, agent.isClosed()]).toEqual(["c2", true]);
  });

  it("cannot be called by a message of another type", () => {
    const { agent, provider } = asked();
    agent.say(base("tool/call", "x", { tool_name: "delete file" }));
    expect(agent.last()).toMatchObject({ code: "invalid_message", req_id: "x" });
    expect(provider.received.filter(({ type }) => type === "tool/call")).toEqual([]);
  });

  it.each<readonly [string, Record<string, unknown>, boolean]>([
    ["the same tool in a list of calls", { calls: [{ name: "delete file", arguments: { all: true } }] }, false],
    ["its id under another name", { tool_id: "delete file" }, false],
    ["ids that name nothing", { tool_id: null, function_ids: 7 }, true],
    ["its own name in its arguments", { arguments: { name: "delete file" } }, true],
  ])("a call beside whose members stands %s", (_, members, isAsked) => {
    const { reader, agent } = asked();
    agent.say(toolCall("c2", "delete file", members));
    const questions = reader.received.filter(({ event }) => event.type === "aaep:agent.awaiting.confirmation");
    expect(questions).toHaveLength(isAsked ? 2 : 1);
    if (!isAsked) expect(agent.last()).toMatchObject({ req_id: "c2", code: "invalid_message" });
  });

  it("one yes is for one call", () => {
    const { stage, provider, reader, agent, token } = asked();
    give(stage.rig, reader, token, "accept");
    provider.say(answerTo(provider.last()));
    agent.say(toolCall("c2", "delete file"));
    expect(toolsOf(requestsOf(provider))).toEqual(["delete file"]);
    const questions = reader.received.filter(({ event }) => event.type === "aaep:agent.awaiting.confirmation");
    expect(questions).toHaveLength(2);
  });
});
