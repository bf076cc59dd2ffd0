// The error codes of A2E: each is reached, and a peer of one protocol is answered in its own.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { answersOf, answerTo, base, createA2eStage, handshake, opened, toolCall } from "./a2e-stage.js";

describe("the errors of a session", () => {
  it("parse_error: a frame that is not JSON", () => {
    const { agent } = opened();
    agent.session.refuse(new Fault("invalid_json", "A message is not JSON."), "{oops");
    expect(agent.last()).toMatchObject({
      type: "error",
      code: "parse_error",
      message: "A message is not JSON.",
      retryable: false,
      a2e: "1.0",
      version: "1.0",
    });
    expect(agent.last()).not.toHaveProperty("req_id");
  });

  it("invalid_message: a message that could be read in two ways, answered to its id", () => {
    const { agent } = opened();
    const text = '{"a2e":"1.0","type":"ping","id":"p1","x":1,"x":2}';
    agent.session.refuse(new Fault("invalid_message", "Write each member once."), text);
    expect(agent.last()).toMatchObject({ code: "invalid_message", req_id: "p1" });
  });

  it.each([
    ["no object", "[1]", undefined],
    ["a request of AAEP", '{"type":"subscription.request","aaep_version":"1.0.0","subscriber_id":"x","id":"s"}', "s"],
    ["a call of JSON-RPC", '{"jsonrpc":"2.0","id":"s","method":"aaep.ping"}', "s"],
    ["no type", '{"a2e":"1.0","id":"x"}', "x"],
    ["no id", '{"a2e":"1.0","type":"tool/list/req"}', undefined],
    ["an id that is too long", `{"a2e":"1.0","type":"tool/list/req","id":"${"x".repeat(257)}"}`, undefined],
    ["an answer", '{"a2e":"1.0","type":"tool/call/resp","id":"x","req_id":"y"}', "x"],
    ["a host's message", '{"a2e":"1.0","type":"invoke/event","id":"x"}', "x"],
    ["an error", '{"a2e":"1.0","type":"error","id":"x"}', "x"],
    ["a pong", '{"a2e":"1.0","type":"pong","id":"x"}', "x"],
  ])("invalid_message: %s", (_, text, id) => {
    const { agent, provider } = opened();
    const before = provider.received.length;
    agent.sayText(text);
    expect(agent.last()).toMatchObject({ type: "error", code: "invalid_message", retryable: false });
    expect(agent.last().req_id).toBe(id);
    expect(provider.received).toHaveLength(before);
  });

  it("invalid_message: a capability that the handshake did not grant, by its name", () => {
    const { agent } = opened();
    for (const [type, name] of [
      ["skill/execute/req", "skill"],
      ["env/get/req", "env"],
      ["proc/start/req", "proc"],
      ["mcp/call/req", "mcp"],
      ["memory/get/req", "memory"],
      ["learn/feedback/req", "learning"],
      ["chain/run/req", "chains"],
      ["toolkit/list/req", "toolkits"],
    ] as const) {
      agent.say(base(type, "m"));
      expect(agent.last()).toMatchObject({ code: "invalid_message", capability_name: name, req_id: "m" });
    }
  });

  it("invalid_message: the id of a request that is under way", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "search"));
    agent.say(toolCall("c1", "search"));
    expect(agent.last()).toMatchObject({ code: "invalid_message", req_id: "c1" });
    provider.say(answerTo(provider.last()));
    agent.say(toolCall("c1", "search"));
    expect(provider.last()).toMatchObject({ type: "tool/call/req" });
  });

  it.each([
    ["handshake/req", { agent_id: 5 }, "`agent_id` must be a string; it is 5."],
    ["handshake/req", { auth_token: undefined }, "`auth_token` is missing; handshake/req needs it."],
  ])("schema_violation: %s with %j", (type, fields, sentence) => {
    const stage = createA2eStage();
    const agent = stage.connect();
    agent.say({ ...handshake("hs", ["tools"]), type, ...fields });
    expect(agent.last()).toMatchObject({ code: "schema_violation", message: sentence, req_id: "hs" });
  });

  it.each([
    [{ tool_name: undefined }, "`tool_name` is missing; tool/call/req needs it."],
    [{ timeout: -1 }, "`timeout` must be between 0 and 86400; it is -1."],
  ])("schema_violation: a tool call with %j", (fields, sentence) => {
    const { agent } = opened();
    agent.say(toolCall("c1", "search", fields));
    expect(agent.last()).toMatchObject({ code: "schema_violation", message: sentence, retryable: false });
  });

  it("runtime_error, which may be sent again: the provider has gone", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "search"));
    provider.hangUp();
    expect(agent.last()).toMatchObject({
      code: "runtime_error",
      message: "The provider has gone. Try again later.",
      req_id: "c1",
      retryable: true,
      capability_name: "tools",
    });
    agent.say(toolCall("c2", "search"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c2", retryable: true });
  });

  it("one for each request, though its time is over before the loss of its provider had its turn", () => {
    const { stage, agent, provider } = opened();
    const turns: (() => void)[] = [];
    Object.assign(stage.engine, { inTurn: (work: () => void) => void turns.push(work) });
    agent.say(toolCall("c1", "search", { timeout: 1 }));
    provider.hangUp();
    stage.advance(1000);
    for (const work of turns) work();
    expect(answersOf(agent)).toMatchObject([{ code: "timeout" }]);
  });

  it("runtime_error, which may be sent again: more requests than wait", () => {
    const { agent, provider } = opened();
    for (let index = 0; index < 4 + 256; index += 1) agent.say(toolCall(`c${index}`, "search"));
    expect(agent.received).toHaveLength(1);
    agent.say(toolCall("more", "search"));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "more", retryable: true });
    provider.say(answerTo(provider.received[1] ?? {}));
    agent.say(toolCall("now", "search"));
    expect(agent.last()).toMatchObject({ type: "tool/call/resp", req_id: "c0" });
  });

  it("timeout, which may be sent again: no answer within the call's own time, which later answers do not change", () => {
    const { stage, agent, provider } = opened();
    agent.say(toolCall("c1", "search", { timeout: 2 }));
    agent.say(toolCall("c2", "search"));
    agent.say(base("tool/list/req", "l1"));
    const [, first] = provider.received;
    stage.advance(1999);
    expect(agent.received).toHaveLength(1);
    stage.advance(1);
    const message = "No answer came within 2 s.";
    expect(agent.last()).toMatchObject({ code: "timeout", req_id: "c1", retryable: true, message });
    expect(stage.services.router.providers().map((one) => one.requestCount())).toEqual([3]);
    provider.say(answerTo(first ?? {}));
    expect(agent.received).toHaveLength(2);
    stage.advance(28_000);
    expect(agent.last()).toMatchObject({ code: "timeout", req_id: "c2" });
    stage.advance(270_000);
    expect(agent.last()).toMatchObject({ code: "timeout", req_id: "l1" });
  });

  it.each(["out_of_memory", "sandbox_crash", "runtime_error", "a code of its own"])(
    "%s of a provider is passed on as it is",
    (code) => {
      const { agent, provider } = opened();
      agent.say(toolCall("c1", "search"));
      const detail = { at: [1, 2] };
      provider.say(
        base("error", "e", { req_id: provider.last().id, code, message: "It broke.", detail, retryable: true }),
      );
      expect(agent.last()).toEqual(
        base("error", "e", { req_id: "c1", code, message: "It broke.", detail, retryable: true }),
      );
    },
  );
});

describe("an answer that cannot be read", () => {
  it("ends its request at once, and must not be sent again", () => {
    const { agent, provider } = opened();
    agent.say(toolCall("c1", "search"));
    const text = `{"type":"tool/call/resp","id":"p1","req_id":"${String(provider.last().id)}","data":NaN}`;
    provider.session.refuse(new Fault("invalid_json", "A message is not JSON."), text);
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "c1", retryable: false });
    expect(provider.last()).toMatchObject({ type: "error", code: "parse_error", req_id: "p1" });
    provider.session.refuse(new Fault("invalid_json", "A message is not JSON."), '{"req_id":"nobody');
    expect(agent.received).toHaveLength(2);
  });
});

describe("the errors of a registration", () => {
  it.each([
    [{ capabilities: [] }, "schema_violation"],
    [{ capabilities: ["teleport"] }, "schema_violation"],
    [{}, "schema_violation"],
    [{ capabilities: ["tools"], priority: "high" }, "schema_violation"],
    [{ capabilities: ["multi_agent"] }, "invalid_message"],
  ])("%j is %s", (fields, code) => {
    const stage = createA2eStage();
    const peer = stage.connect();
    peer.say(base("aaepd.a2e.register", "r", fields));
    expect(peer.last()).toMatchObject({ type: "error", code, req_id: "r" });
    expect(stage.services.router.providers()).toEqual([]);
  });

  it("needs the token, if there is one, and the right to provide", () => {
    const stage = createA2eStage({ options: { authToken: () => "wanted" } });
    const peer = stage.connect();
    for (const token of ["wante", "wxnted", "Wanted", "wanteD", "", undefined]) {
      peer.say(base("aaepd.a2e.register", "r", { capabilities: ["tools"], auth_token: token }));
      expect(peer.last(), token).toMatchObject({ code: "unauthorized" });
    }
    peer.say(base("aaepd.a2e.register", "r", { capabilities: ["tools"], auth_token: "wanted" }));
    expect(peer.last()).toMatchObject({ type: "aaepd.a2e.registered", req_id: "r", name: "test" });
    const forbidden = createA2eStage({ access: { of: () => ({ may: (operation) => operation !== "provide" }) } });
    expect(forbidden.provider().last()).toMatchObject({ code: "unauthorized" });
  });

  it("R36: a right that ended since the handshake ends its requests, and a call is not held for a connection that may ask nobody", () => {
    const rights = new Set<string>(["publish", "ask", "provide"]);
    const asked: unknown[] = [];
    const stage = createA2eStage({
      access: {
        of: () => ({
          may: (operation, sessionId) => {
            asked.push([operation, sessionId]);
            return rights.has(operation);
          },
        }),
      },
      options: { isIrreversible: (tool) => tool === "delete" },
    });
    const provider = stage.provider();
    const peer = stage.agent();
    rights.delete("ask");
    peer.say(toolCall("c1", "delete"));
    expect(peer.last()).toMatchObject({ code: "unauthorized", req_id: "c1", retryable: false });
    peer.say(toolCall("c2", "search"));
    expect(provider.last()).toMatchObject({ type: "tool/call/req", tool_name: "search" });
    rights.delete("publish");
    const before = provider.received.length;
    peer.say(toolCall("c3", "search"));
    expect(peer.last()).toMatchObject({ code: "unauthorized", req_id: "c3" });
    peer.say(base("tool/cancel", "c4"));
    expect(peer.last()).toMatchObject({ code: "unauthorized", req_id: "c4" });
    expect(provider.received).toHaveLength(before);
    expect(asked).toContainEqual(["ask", expect.stringMatching(/^sess_/)]);
  });
});
