// Requests of A2E agents: their order, their slots, and their providers.
import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/engine/time/turns.js";
import { type Provider, Router } from "../../../src/protocols/a2e/providers/router.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import {
  type A2ePeer,
  answersOf,
  answerTo,
  base,
  createA2eStage,
  opened,
  requestsOf,
  toolCall,
  toolsOf,
} from "./a2e-stage.js";

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

  it("of another type has the time that it names, if that is one", () => {
    const { stage, agent } = opened();
    for (const timeout of [-5, 1e306, "soon"]) agent.say(base("vendor/thing/req", `v ${timeout}`, { timeout }));
    agent.say(base("vendor/thing/req", "short", { timeout: 2 }));
    stage.advance(2000);
    expect(answersOf(agent).map(({ req_id: id }) => id)).toEqual(["short"]);
    stage.advance(298_000);
    expect(answersOf(agent)).toHaveLength(4);
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
    const clock = createVirtualClock();
    const router = new Router(new Turns(clock, { most: 2 }), () => {});
    const provider = { offer: { capabilities: [] } } as unknown as Provider;
    let count = 0;
    for (let agent = 0; agent < 32; agent += 1)
      router.listen(() => {
        count += 1;
      });
    for (let notice = 0; notice < 2000; notice += 1) router.announce(provider, "{}");
    expect(count).toBe(64);
    clock.turn();
    expect(count).toBe(128);
    clock.settle();
    expect(count).toBe(32 * 1002);
  });
});

describe("R34: what the requests of all agents take", () => {
  const large = (id: string, length: number) => toolCall(id, "search", { arguments: { text: "x".repeat(length) } });

  it("leaves three quarters to others, unless one request alone takes more", () => {
    const { stage, agent } = opened();
    const other = stage.agent(["tools"], "other");
    for (const id of ["c1", "c2", "c3"]) agent.say(large(id, 4_000_000));
    other.say(large("c1", 9_000_000));
    other.say(large("c2", 100_000));
    expect([agent, other].map((peer) => peer.received.slice(1).map(({ req_id: id }) => id))).toEqual([["c3"], ["c2"]]);
  });

  it("is bounded; small ones go on, and an answer or the end of an agent makes room", () => {
    const { stage, agent, provider } = opened();
    const others = ["b", "c", "d", "last"].map((name) => stage.agent(["tools"], name));
    const [leaver, , , last] = others as [A2ePeer, A2ePeer, A2ePeer, A2ePeer];
    const isRefused = (peer: A2ePeer) => peer.last()?.type === "error";
    for (const peer of [agent, ...others]) peer.say(large("c1", 8_000_000));
    expect([agent, ...others].map(isRefused)).toEqual([false, false, false, false, true]);
    expect(last.last()).toMatchObject({ type: "error", req_id: "c1", code: "runtime_error" });
    last.say(toolCall("c2", "search", {}));
    expect(toolsOf(requestsOf(provider))).toHaveLength(5);
    leaver.hangUp();
    last.say(large("c3", 8_000_000));
    expect(toolsOf(requestsOf(provider))).toHaveLength(6);
    agent.say(large("c4", 8_000_000));
    expect(isRefused(agent)).toBe(true);
    provider.say(answerTo(requestsOf(provider)[0] ?? {}, "found"));
    agent.say(large("c5", 8_000_000));
    expect(toolsOf(requestsOf(provider))).toHaveLength(7);
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

  it("has its new name, its new limit and its new agents from then on", () => {
    const { stage, agent, provider } = opened();
    provider.say(base("aaepd.a2e.register", "r2", { capabilities: ["tools"], name: "renamed", max_parallel: 1 }));
    for (const id of ["c1", "c2"]) agent.say(toolCall(id, id));
    expect(toolsOf(requestsOf(provider))).toEqual(["c1"]);
    expect(stage.services.router.providers().map(({ offer }) => offer.name)).toEqual(["renamed"]);
    provider.say(base("vendor/notice", "n"));
    expect(agent.last()).toMatchObject({ type: "vendor/notice" });
    provider.say(base("aaepd.a2e.register", "r3", { capabilities: ["tools"], max_parallel: 2 }));
    provider.say(answerTo(requestsOf(provider)[0] ?? {}));
    agent.say(toolCall("c3", "c3"));
    expect(toolsOf(requestsOf(provider))).toEqual(["c1", "c2", "c3"]);
  });
});
