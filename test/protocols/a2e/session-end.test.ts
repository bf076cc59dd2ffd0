// How sessions of A2E end, and what becomes of their requests.
import { describe, expect, it } from "vitest";
import { ENDINGS_IN_A_TURN } from "../../../src/engine/engine.js";
import { typesOf } from "../../support/rigs/engine-rig.js";
import { ABLE, decision, questionsIn } from "../../support/rigs/question-rig.js";
import { answersOf, answerTo, base, createA2eStage, opened, requestsOf, toolCall } from "./a2e-stage.js";

describe("the end of a session", () => {
  it("shutdown waits for what is under way, takes nothing new, and closes", () => {
    const { stage, agent, provider } = opened();
    const reader = stage.listen();
    agent.say(toolCall("c1", "t1"));
    agent.say(base("shutdown", "s", { timeout: 5 }));
    agent.say(toolCall("c2", "t2"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c2" });
    expect(agent.isClosed()).toBe(false);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "done" });
    expect(agent.isClosed()).toBe(true);
    stage.clock.settle();
    expect(typesOf(reader.received).at(-1)).toBe("session.completed");
    expect(stage.services.agents.count()).toBe(0);
  });

  it("what is not answered in time is answered by timeout, the waiting too", () => {
    const { stage, agent } = opened({ options: { maxParallel: () => 1 } });
    for (const id of ["c1", "c2", "c3"]) agent.say(toolCall(id, "t"));
    agent.say(base("shutdown", "s", { timeout: 3 }));
    stage.advance(2999);
    expect(answersOf(agent)).toEqual([]);
    stage.advance(1);
    expect(answersOf(agent).map(({ req_id: id, code }) => [id, code])).toEqual(
      expect.arrayContaining([
        ["c1", "timeout"],
        ["c2", "timeout"],
        ["c3", "timeout"],
      ]),
    );
    expect(agent.isClosed()).toBe(true);
  });

  it("R8: of a connection that is lost is told by the engine, and its requests are forgotten", () => {
    const { stage, agent, provider } = opened();
    const reader = stage.listen();
    agent.say(toolCall("c1", "t1"));
    agent.hangUp();
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    stage.advance(5000);
    expect(typesOf(reader.received).slice(-2)).toEqual(["tool.completed", "session.errored"]);
    expect(reader.received.at(-1)?.event.error_code).toBe("AGENT_DISCONNECTED");
    expect(agent.received).toHaveLength(1);
    expect(stage.clock.pending()).toBeLessThan(3);
  });

  it("R8a: by a stop drains too", async () => {
    const { stage, agent, provider } = opened();
    agent.say(toolCall("c1", "t1"));
    const finished = agent.session.finish("producer_shutdown", stage.clock.now() + 1000);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    await finished;
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "done" });
    const late = stage.agent(["tools"], "late");
    late.say(toolCall("c2", "t2"));
    const end = late.session.finish("producer_shutdown", stage.clock.now() + 1000);
    stage.advance(1000);
    await end;
    expect(late.last()).toMatchObject({ req_id: "c2", code: "timeout" });
  });

  it("R8a: by a stop leaves its provider there until its requests are answered", async () => {
    const { stage, agent, provider } = opened();
    agent.say(toolCall("c1", "t1"));
    const until = stage.clock.now() + 1000;
    const ends = [
      provider.session.finish("producer_shutdown", until),
      agent.session.finish("producer_shutdown", until),
    ];
    expect(stage.services.router.providers()).toHaveLength(1);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    await Promise.all(ends);
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "done" });
    expect(provider.last()).toMatchObject({ type: "shutdown" });
    expect(stage.services.router.providers()).toHaveLength(0);
  });
});

describe("R34: many calls that end at once", () => {
  const HELD = 4;
  function holding(count: number) {
    const stage = createA2eStage({ options: { isIrreversible: (tool) => tool === "delete file" } });
    const provider = stage.provider();
    const reader = stage.listen(ABLE);
    const agents = Array.from({ length: count }, (_, index) => stage.agent(["tools"], `agent ${index}`));
    for (const agent of agents)
      for (let call = 0; call < HELD; call += 1)
        agent.say(toolCall(`c${call}`, "delete file", { arguments: { call } }));
    const open = () => stage.rig.engine.status().openQuestionCount;
    expect(open()).toBe(HELD * count);
    /** Most questions that a turn took back, until all were. */
    const mostInATurn = (): number => {
      let most = 0;
      for (let left = open(); left > 0; left = open()) {
        stage.clock.turn();
        most = Math.max(most, left - open());
        if (left === open()) break;
      }
      return most;
    };
    return { stage, provider, reader, agents, open, mostInATurn };
  }

  it("of agents that break off, a few questions a turn", () => {
    const { agents, open, mostInATurn, provider } = holding(30);
    for (const { session } of agents) session.ended();
    expect(open()).toBeGreaterThanOrEqual(HELD * 30 - ENDINGS_IN_A_TURN);
    expect(mostInATurn()).toBeLessThanOrEqual(ENDINGS_IN_A_TURN);
    expect(open()).toBe(0);
    expect(requestsOf(provider)).toEqual([]);
  });

  it("of agents whose input has ended; a yes that comes meanwhile makes no call, and nothing waits anew", () => {
    const { stage, agents, reader, open, mostInATurn, provider } = holding(30);
    for (const agent of agents) agent.say(toolCall("waits", "delete file"));
    const tokens = questionsIn(reader).map(({ event }) => String(event.reply_token));
    for (const { session } of agents) session.inputEnded();
    reader.subscription.listener.reply(decision(stage.rig, tokens.at(-1) ?? "", "accept"), {});
    expect(mostInATurn()).toBeLessThanOrEqual(ENDINGS_IN_A_TURN + 1);
    expect(open()).toBe(0);
    stage.clock.settle();
    for (const agent of agents) expect(answersOf(agent)).toHaveLength(HELD + 1);
    expect(requestsOf(provider)).toEqual([]);
  });

  it("of agents whose time to drain is over", () => {
    const { stage, agents, open } = holding(30);
    for (const agent of agents) agent.say(base("shutdown", "bye", { timeout: 1 }));
    stage.clock.pass(1000);
    stage.clock.runDue();
    expect(open()).toBeGreaterThanOrEqual(HELD * 30 - ENDINGS_IN_A_TURN);
    stage.clock.settle();
    expect(open()).toBe(0);
    for (const agent of agents) expect(agent.isClosed()).toBe(true);
  });
});
