// Requests of A2E agents: their order, their slots, their providers, and what listeners hear of them.
import { describe, expect, it } from "vitest";
import { COST_PER_TURN, createTurnSlices } from "../../../src/engine/time/turn-slices.js";
import { createForwarding } from "../../../src/protocols/a2e/providers/forwarding.js";
import type { Provider } from "../../../src/protocols/a2e/providers/provider.js";
import { createRouter } from "../../../src/protocols/a2e/providers/router.js";
import { typesOf } from "../../support/rigs/engine-rig.js";
import { ABLE, decision, give, questionsIn } from "../../support/rigs/question-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import type { A2eStage } from "./a2e-stage.js";
import { type A2eDocument, type A2ePeer, answerTo, base, createA2eStage, toolCall } from "./a2e-stage.js";

function opened(options: Parameters<typeof createA2eStage>[0] = {}, capabilities: readonly string[] = ["tools"]) {
  const stage = createA2eStage(options);
  const provider = stage.provider(capabilities);
  const agent = stage.agent(capabilities);
  return { stage, provider, agent };
}

/** The requests that a provider was sent. */
const requestsOf = ({ received }: A2ePeer): readonly A2eDocument[] =>
  received.filter(({ type }) => String(type).endsWith("/req"));
const answersOf = ({ received }: A2ePeer): readonly A2eDocument[] =>
  received.filter(({ type }) => type === "tool/call/resp" || type === "error");
const toolsOf = (requests: readonly A2eDocument[]): readonly unknown[] => requests.map(({ tool_name: name }) => name);

describe("a request", () => {
  it("goes to the provider under another id, and its answer comes back under the agent's", () => {
    const { agent, provider } = opened();
    const call = toolCall("c1", "search", { session_id: "s", correlation_id: "corr", streaming: true, own: [1] });
    agent.say(call);
    const [forwarded = {}] = requestsOf(provider);
    expect(forwarded).toEqual({ ...call, id: forwarded.id });
    expect(forwarded.id).not.toBe("c1");
    provider.say(base("tool/call/resp", "r", { req_id: forwarded.id, data: { found: true }, own: "x" }));
    expect(agent.last()).toEqual(base("tool/call/resp", "r", { req_id: "c1", data: { found: true }, own: "x" }));
  });

  it("keeps every byte beside its id: large numbers, spellings, white space", () => {
    const { agent, provider } = opened();
    agent.sayText(
      '{ "a2e":"1.0", "type":"tool\\/call\\/req", "id":"c1", "tool_name":"pay", "arguments":{"amount":12345678901234567890.10, "é":"\\u00e9"} }',
    );
    const [, text = ""] = provider.texts;
    const [forwarded = {}] = requestsOf(provider);
    expect(text).toBe(
      `{ "a2e":"1.0", "type":"tool\\/call\\/req", "id":"${String(forwarded.id)}", "tool_name":"pay", "arguments":{"amount":12345678901234567890.10, "é":"\\u00e9"} }`,
    );
    provider.sayText(`{"type":"tool/call/resp","id":"r","req_id":"${String(forwarded.id)}","data":1e400}`);
    expect(agent.texts.at(-1)).toBe('{"type":"tool/call/resp","id":"r","req_id":"c1","data":1e400}');
  });

  it("two agents may use one id", () => {
    const { stage, agent, provider } = opened();
    const other = stage.agent(["tools"], "other-agent");
    agent.say(toolCall("c1", "mine"));
    other.say(toolCall("c1", "theirs"));
    const [mine = {}, theirs = {}] = requestsOf(provider);
    expect(mine.id).not.toBe(theirs.id);
    provider.say(answerTo(theirs, "for the other"));
    provider.say(answerTo(mine, "for the first"));
    expect([agent.last().data, other.last().data]).toEqual(["for the first", "for the other"]);
  });

  it("events come back in their order, with their seq, before the answer; none after it", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "search"));
    const [{ id } = {}] = requestsOf(provider);
    const event = (seq: number) => base("tool/event", `e${seq}`, { req_id: id, kind: "log", data: {}, seq });
    for (const seq of [0, 1, 1, 7, 3]) provider.say(event(seq));
    provider.say(base("strange/news", "n", { req_id: id }));
    provider.say(answerTo({ id }));
    provider.say(event(8));
    provider.say(answerTo({ id }, "again"));
    expect(agent.received.slice(1).map(({ type, seq }) => [type, seq])).toEqual([
      ...[0, 1, 1, 7, 3].map((seq) => ["tool/event", seq]),
      ["strange/news", undefined],
      ["tool/call/resp", undefined],
    ]);
    for (const message of agent.received.slice(1)) expect(message.req_id).toBe("c1");
  });

  it("of a type that A2E does not name goes to the provider of the first capability; a message without answer too", () => {
    const { agent, provider } = opened();
    agent.say(base("vendor/thing/req", "v1", { deep: { er: 1 } }));
    expect(provider.last()).toMatchObject({ type: "vendor/thing/req", deep: { er: 1 } });
    provider.say(base("vendor/thing/resp", "r", { req_id: provider.last().id, ok: 1 }));
    expect(agent.last()).toMatchObject({ type: "vendor/thing/resp", req_id: "v1", ok: 1 });
  });

  it("a message that needs no answer is passed on, and heard as a call that is done", () => {
    const { stage, agent, provider } = opened();
    const reader = stage.listen();
    agent.say(base("tool/cancel", "x", { what: "all" }));
    expect(provider.last()).toEqual(base("tool/cancel", "x", { what: "all" }));
    stage.clock.settle();
    const told = reader.received.slice(-2).map(({ event }) => [event.type, event.tool]);
    expect(told).toEqual([
      ["aaep:agent.tool.invoked", "tool.cancel"],
      ["aaep:agent.tool.completed", "tool.cancel"],
    ]);
  });

  it("of another type has the time that it names, if that is one", () => {
    const { stage, agent } = opened();
    for (const timeout of [-5, 1e306, "soon"]) agent.say(base("vendor/thing/req", `v ${timeout}`, { timeout }));
    agent.say(base("vendor/thing/req", "short", { timeout: 2 }));
    stage.advance(2000);
    expect(answersOf(agent).map(({ req_id: id }) => id)).toEqual(["short"]);
    stage.advance(298_000);
    expect(answersOf(agent)).toHaveLength(4);
  });

  it("has the agent's session in what the provider sends back, if that names one", () => {
    const { agent, provider } = opened();
    const [{ session_id: own } = {}] = agent.received;
    agent.say(toolCall("c1", "t", { session_id: own }));
    provider.say(
      base("invoke/event", "e", { req_id: provider.last().id, kind: "log", data: {}, seq: 0, session_id: "theirs" }),
    );
    expect(agent.last()).toMatchObject({ type: "invoke/event", session_id: own });
    provider.say({ ...answerTo(provider.last()), session_id: "theirs" });
    expect(agent.last()).toMatchObject({ req_id: "c1", session_id: own });
  });

  it("a message of a provider to nobody reaches the agents that may use it", () => {
    const { stage, agent, provider } = opened();
    stage.provider(["memory"]);
    const other = stage.agent(["memory"], "other-agent");
    provider.say(base("vendor/notice", "n", { text: "maintenance" }));
    expect(agent.last()).toEqual(base("vendor/notice", "n", { text: "maintenance" }));
    expect(other.received).toHaveLength(1);
  });

  it.each(["error", "ping", "pong", "shutdown", "tool/call/resp"])(
    "%s without a request reaches no agent: it may be about another's",
    (type) => {
      const { agent, provider } = opened();
      const before = agent.received.length;
      provider.say(base(type, "n", { code: "x", message: "about another agent", retryable: false }));
      expect(agent.received).toHaveLength(before);
    },
  );

  it("R34: announcements to many agents take several turns, and beyond a thousand that wait the others are dropped", () => {
    const turns: (() => void)[] = [];
    const router = createRouter(createTurnSlices({ afterTurn: (run) => void turns.push(run) }, () => {}, 64));
    const provider = { capabilities: [] } as unknown as Provider;
    let count = 0;
    for (let agent = 0; agent < 32; agent += 1)
      router.listen({
        announced: () => {
          count += 1;
        },
      });
    for (let notice = 0; notice < 2000; notice += 1) router.announce(provider, "{}");
    expect(count).toBe(64);
    turns.shift()?.();
    expect(count).toBe(128);
    while (turns.length > 0) turns.shift()?.();
    expect(count).toBe(32 * 1002);
  });
});

describe("R34: what the requests of all agents take", () => {
  it("is bounded; small ones go on, and an answer or the end of an agent makes room", () => {
    const { stage, agent, provider } = opened();
    const others = [stage.agent(["tools"], "second"), stage.agent(["tools"], "third")] as const;
    const large = (id: string) => toolCall(id, "search", { arguments: { text: "x".repeat(9_000_000) } });
    const isRefused = (peer: A2ePeer) => peer.last()?.type === "error";
    for (const peer of [agent, ...others]) peer.say(large("c1"));
    expect([agent, ...others].map(isRefused)).toEqual([false, false, false]);
    agent.say(large("c2"));
    expect(agent.last()).toMatchObject({ type: "error", req_id: "c2", code: "runtime_error" });
    agent.say(toolCall("c3", "search", {}));
    expect(toolsOf(requestsOf(provider))).toHaveLength(4);
    others[0].hangUp();
    agent.say(large("c4"));
    expect(toolsOf(requestsOf(provider))).toHaveLength(5);
    agent.say(large("c5"));
    expect(isRefused(agent)).toBe(true);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}, "found"));
    agent.say(large("c6"));
    expect(toolsOf(requestsOf(provider))).toHaveLength(6);
  });
});

describe("max_parallel", () => {
  it("is never exceeded, and the others go in the order in which they came", () => {
    const { agent, provider } = opened({ options: { maxParallel: () => 2 } });
    for (let index = 0; index < 6; index += 1) agent.say(toolCall(`c${index}`, `t${index}`));
    expect(toolsOf(requestsOf(provider))).toEqual(["t0", "t1"]);
    provider.say(answerTo(requestsOf(provider)[1] ?? {}));
    expect(toolsOf(requestsOf(provider))).toEqual(["t0", "t1", "t2"]);
    for (const index of [0, 2, 3, 4, 5]) provider.say(answerTo(requestsOf(provider)[index] ?? {}));
    expect(toolsOf(requestsOf(provider))).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
    expect(answersOf(agent).map(({ req_id: id }) => id)).toEqual(["c1", "c0", "c2", "c3", "c4", "c5"]);
  });

  it("of a provider holds for all agents together", () => {
    const stage = createA2eStage();
    const provider = stage.provider(["tools"], { max_parallel: 3 });
    const agents = ["a", "b"].map((name) => stage.agent(["tools"], name));
    for (const [index, agent] of [...agents, ...agents].entries()) agent.say(toolCall(`c${index}`, `t${index}`));
    expect(toolsOf(requestsOf(provider))).toEqual(["t0", "t1", "t2"]);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect(toolsOf(requestsOf(provider))).toEqual(["t0", "t1", "t2", "t3"]);
  });

  it("thousands that fail at once take no stack", () => {
    const { agent, provider } = opened({ options: { maxParallel: () => 1 } });
    for (let index = 0; index < 257; index += 1) agent.say(toolCall(`c${index}`, "t"));
    provider.hangUp();
    expect(answersOf(agent)).toHaveLength(257);
  });
});

describe("providers", () => {
  it("the first of a capability keeps it, unless a priority is higher; requests under way stay where they are", () => {
    const { stage, agent, provider } = opened();
    const second = stage.provider(["tools"], { name: "second" });
    agent.say(toolCall("c1", "t1"));
    const third = stage.provider(["tools"], { name: "third", priority: 5 });
    agent.say(toolCall("c2", "t2"));
    expect([provider, second, third].map((one) => toolsOf(requestsOf(one)))).toEqual([["t1"], [], ["t2"]]);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect(agent.last()).toMatchObject({ req_id: "c1", type: "tool/call/resp" });
    third.hangUp();
    expect(agent.last()).toMatchObject({ req_id: "c2", code: "runtime_error" });
    agent.say(toolCall("c3", "t3"));
    expect(toolsOf(requestsOf(provider))).toEqual(["t1", "t3"]);
  });

  it("one that takes nothing loses that request, and no other", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "t1"));
    provider.setFull(true);
    agent.say(toolCall("c2", "t2"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c2", retryable: true });
    provider.setFull(false);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "done" });
  });

  it("an agent that takes nothing loses its request, not its session", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "t1"));
    agent.say(toolCall("c2", "t2"));
    const [first = {}, second = {}] = requestsOf(provider);
    agent.setFull(true);
    provider.say(base("invoke/event", "e", { req_id: first.id, kind: "log", data: {}, seq: 0 }));
    provider.say(answerTo(second));
    agent.setFull(false);
    expect(answersOf(agent)).toMatchObject([
      { req_id: "c1", code: "runtime_error" },
      { req_id: "c2", code: "runtime_error" },
    ]);
    agent.say(toolCall("c3", "t3"));
    expect(toolsOf(requestsOf(provider))).toEqual(["t1", "t2", "t3"]);
  });

  it("that shuts down, or ends its input, leaves at once", () => {
    const stage = createA2eStage();
    for (const leave of [
      (one: A2ePeer) => one.say(base("shutdown", "s")),
      (one: A2ePeer) => one.session.inputEnded(),
    ]) {
      const provider = stage.provider();
      expect(stage.services.router.providers()).toHaveLength(1);
      leave(provider);
      expect(stage.services.router.providers()).toEqual([]);
      expect(provider.isClosed()).toBe(true);
    }
  });

  it("may register anew, with other capabilities", () => {
    const { stage, agent, provider } = opened();
    agent.say(toolCall("c1", "t1"));
    provider.say(base("aaepd.a2e.register", "r2", { capabilities: ["memory"] }));
    expect(stage.services.router.holderOf("tools")).toBeUndefined();
    expect(stage.services.router.holderOf("memory")).toBeDefined();
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect(agent.last()).toMatchObject({ req_id: "c1", data: "done" });
  });

  it("has its new name, its new limit and its new agents from then on", () => {
    const { stage, agent, provider } = opened();
    provider.say(base("aaepd.a2e.register", "r2", { capabilities: ["tools"], name: "renamed", max_parallel: 1 }));
    for (const id of ["c1", "c2"]) agent.say(toolCall(id, id));
    expect(toolsOf(requestsOf(provider))).toEqual(["c1"]);
    expect(stage.services.router.providers().map(({ name }) => name)).toEqual(["renamed"]);
    provider.say(base("vendor/notice", "n"));
    expect(agent.last()).toMatchObject({ type: "vendor/notice" });
    provider.say(base("aaepd.a2e.register", "r3", { capabilities: ["tools"], max_parallel: 2 }));
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    agent.say(toolCall("c3", "c3"));
    expect(toolsOf(requestsOf(provider))).toEqual(["c1", "c2", "c3"]);
  });

  it("one that asks and does not read is answered no more, and keeps nothing", () => {
    const { provider } = opened();
    provider.setFull(true);
    const before = provider.received.length;
    for (const type of ["ping", "vendor/thing/req", "aaepd.a2e.register"])
      provider.say(base(type, "x", { capabilities: ["tools"] }));
    expect(provider.received).toHaveLength(before);
  });
});

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

  it("the end of the input counts as a shutdown", () => {
    const { stage, agent, provider } = opened();
    const reader = stage.listen();
    agent.say(toolCall("c1", "t1"));
    agent.session.inputEnded();
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    expect([agent.last().req_id, agent.isClosed()]).toEqual(["c1", true]);
    stage.clock.settle();
    expect(typesOf(reader.received).at(-1)).toBe("session.completed");
  });

  it("after the end of its input a request has ten seconds", () => {
    const { stage, agent } = opened();
    agent.say(toolCall("c1", "t1"));
    agent.session.inputEnded();
    stage.advance(9999);
    expect([answersOf(agent), agent.isClosed()]).toEqual([[], false]);
    stage.advance(1);
    expect([agent.last().code, agent.last().req_id, agent.isClosed()]).toEqual(["timeout", "c1", true]);
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

  it("R34: many requests that end for lack of time take several turns", () => {
    const { stage, agent } = opened({ options: { maxParallel: () => 100 } });
    for (let index = 0; index < 200; index += 1) agent.say(toolCall(`c${index}`, "t"));
    agent.say(base("shutdown", "s", { timeout: 1 }));
    stage.clock.pass(1000);
    stage.clock.runDue();
    expect(answersOf(agent)).toHaveLength(32);
    stage.clock.turn();
    expect(answersOf(agent)).toHaveLength(64);
    stage.clock.settle();
    expect(answersOf(agent)).toHaveLength(200);
    expect(new Set(answersOf(agent).map(({ req_id: id }) => id)).size).toBe(200);
    expect(agent.isClosed()).toBe(true);
  });
});

describe("a provider's end", () => {
  it("loses what it had and what waits for it; a request that comes later is told so", () => {
    const { stage, agent, provider } = opened();
    for (const id of ["c1", "c2"]) agent.say(toolCall(id, "t"));
    provider.session.inputEnded();
    stage.clock.settle();
    expect(answersOf(agent).map(({ req_id: id, code }) => [id, code])).toEqual([
      ["c1", "runtime_error"],
      ["c2", "runtime_error"],
    ]);
    agent.say(toolCall("c3", "t"));
    expect(agent.last()).toMatchObject({ req_id: "c3", code: "runtime_error", retryable: true });
  });

  it("R34: thousands of requests are lost over several turns, each once", () => {
    const lost: string[] = [];
    const turns: (() => void)[] = [];
    const clock = createVirtualClock();
    let ids = 0;
    const forwarding = createForwarding({
      send: () => true,
      newId: () => {
        ids += 1;
        return `r${ids}`;
      },
      maxParallel: () => 10,
      announced: () => {},
      clock: { ...clock, afterTurn: (run) => void turns.push(run) },
    });
    for (let index = 0; index < 1000; index += 1)
      forwarding.request(JSON.stringify({ id: "a" }), {
        event: () => {},
        answered: () => {},
        refused: () => {},
        unreadable: () => {},
        lost: () => void lost.push(String(index)),
      });
    forwarding.ended("gone");
    const perTurn = [lost.length];
    for (let run = turns.shift(); run !== undefined; run = turns.shift()) {
      const before = lost.length;
      run();
      perTurn.push(lost.length - before);
    }
    expect(lost).toEqual(Array.from({ length: 1000 }, (_, index) => String(index)));
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(64);
    expect(forwarding.count()).toBe(0);
  });
});

describe("requests in front of a provider", () => {
  const NEWS = { event: () => {}, answered: () => {}, refused: () => {}, unreadable: () => {} };

  function forwardingTo(send: (text: string) => boolean) {
    const lost: string[] = [];
    const clock = createVirtualClock();
    let ids = 0;
    const forwarding = createForwarding({
      send,
      newId: () => {
        ids += 1;
        return `r${ids}`;
      },
      maxParallel: () => 1,
      announced: () => {},
      clock,
    });
    const request = (text: string) => forwarding.request(text, { ...NEWS, lost: (why) => void lost.push(why) });
    return { forwarding, lost, request, clock };
  }

  it("are at most 4,096, and 32 MiB", () => {
    const { forwarding, lost, request } = forwardingTo(() => true);
    for (let index = 0; index < 4097; index += 1) request("{}");
    expect(lost).toEqual([]);
    request("{}");
    expect([lost.length, forwarding.count()]).toEqual([1, 4097]);
    const long = forwardingTo(() => true);
    const text = JSON.stringify({ long: "x".repeat(1024 * 1024) });
    const all = Array.from({ length: 40 }, () => long.request(text));
    expect(long.lost.length).toBe(40 - 1 - 31);
    for (const one of all) one.forget();
    long.clock.advance(60_000);
    expect(long.forwarding.count()).toBe(0);
    for (let index = 0; index < 20; index += 1) long.request(text);
    expect(long.lost.length).toBe(40 - 1 - 31);
  });

  it("a request that nobody waits for any more has its slot until the provider has answered, or for a minute", () => {
    const texts: string[] = [];
    const { forwarding, request, clock } = forwardingTo((text) => {
      texts.push(text);
      return true;
    });
    const [first] = [request("{}"), request("{}"), request("{}")];
    first.forget();
    expect([texts.length, forwarding.count()]).toEqual([1, 3]);
    forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
    expect([texts.length, forwarding.count()]).toEqual([2, 2]);
    forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
    expect(texts.length).toBe(2);
    const [second] = [request("{}")];
    second.forget();
    forwarding.receive({ type: "error", req_id: "r2" }, "");
    expect([texts.length, forwarding.count()]).toEqual([3, 1]);
    clock.advance(59_999);
    expect(forwarding.count()).toBe(1);
  });

  it("a connection that throws costs that request alone", () => {
    let isBroken = true;
    const { request, forwarding } = forwardingTo(() => {
      if (isBroken) throw new Error("broken");
      return true;
    });
    expect(() => request("{}")).toThrow("broken");
    isBroken = false;
    const next = request("{}");
    next.forget();
    expect(forwarding.count()).toBeLessThan(2);
  });
});

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

  it("that an agent uses no tool any more, a second after its last request", () => {
    const stage = createA2eStage();
    const reader = stage.listen();
    const provider = stage.provider();
    const agent = stage.agent();
    agent.say(toolCall("c1", "t"));
    provider.say(answerTo(provider.last()));
    stage.advance(999);
    agent.say(toolCall("c2", "t"));
    provider.say(answerTo(provider.last()));
    stage.advance(999);
    expect(typesOf(reader.received)).not.toContain("state.changed");
    stage.advance(1);
    expect(reader.received.at(-1)?.event).toMatchObject({ type: "aaep:agent.state.changed", to_state: "idle" });
    stage.advance(10_000);
    expect(typesOf(reader.received).filter((type) => type === "state.changed")).toHaveLength(1);
  });

  it("types beside tool calls by their names, and a timeout as one", () => {
    const { stage, agent, provider } = opened({}, ["skill", "memory"]);
    const heard = eventsOf(stage);
    agent.say(base("skill/execute/req", "s1", { skill: "cook", timeout: 1 }));
    stage.advance(1000);
    agent.say(base("memory/get/req", "m1"));
    provider.say(base("memory/get/resp", "r", { req_id: provider.last().id, value: 1 }));
    const tools = heard().filter(({ type }) => type.includes("tool"));
    expect(tools.map(({ tool, status }) => [tool, status])).toEqual([
      ["skill.execute", undefined],
      ["skill.execute", "timeout"],
      ["memory.get", undefined],
      ["memory.get", "success"],
    ]);
  });

  it("each in the listener's language", () => {
    const stage = createA2eStage();
    stage.provider();
    const reader = stage.listen({ languages: ["de"] });
    stage.agent(["tools"], "planner").say(toolCall("c1", "suche"));
    stage.clock.settle();
    expect(reader.received.map(({ event }) => event.summary_normal)).toEqual([
      "planner hat begonnen. Nutzen darf der Agent: tools.",
      "planner benutzt suche.",
    ]);
  });

  it("a call that could not be announced is not made", () => {
    let isFailing = false;
    const stage = createA2eStage({
      around: (journal) => ({
        append: (events) => {
          if (isFailing) throw new Error("the disk is full");
          return journal.append(events);
        },
      }),
    });
    const provider = stage.provider();
    const agent = stage.agent();
    isFailing = true;
    agent.say(toolCall("c1", "t1"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", retryable: true, req_id: "c1" });
    expect(requestsOf(provider)).toEqual([]);
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
    expect(open()).toBeGreaterThanOrEqual(HELD * 30 - COST_PER_TURN);
    expect(mostInATurn()).toBeLessThanOrEqual(COST_PER_TURN);
    expect(open()).toBe(0);
    expect(requestsOf(provider)).toEqual([]);
  });

  it("of agents whose input has ended; a yes that comes meanwhile makes no call, and nothing waits anew", () => {
    const { stage, agents, reader, open, mostInATurn, provider } = holding(30);
    for (const agent of agents) agent.say(toolCall("waits", "delete file"));
    const tokens = questionsIn(reader).map(({ event }) => String(event.reply_token));
    for (const { session } of agents) session.inputEnded();
    reader.subscription.reply(decision(stage.rig, tokens.at(-1) ?? "", "accept"), {});
    expect(mostInATurn()).toBeLessThanOrEqual(COST_PER_TURN + 1);
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
    expect(open()).toBeGreaterThanOrEqual(HELD * 30 - COST_PER_TURN);
    stage.clock.settle();
    expect(open()).toBe(0);
    for (const agent of agents) expect(agent.isClosed()).toBe(true);
  });
});

describe("R5: a tool that cannot be undone", () => {
  function asked() {
    const stage = createA2eStage({
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

  it("keeps its slot while it waits, and others go on beside it", () => {
    const { stage, provider, reader, agent, token } = asked();
    for (const id of ["c2", "c3"]) agent.say(toolCall(id, `tool of ${id}`));
    expect(toolsOf(requestsOf(provider))).toEqual(["tool of c2"]);
    give(stage.rig, reader, token, "reject");
    expect(toolsOf(requestsOf(provider))).toEqual(["tool of c2", "tool of c3"]);
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
