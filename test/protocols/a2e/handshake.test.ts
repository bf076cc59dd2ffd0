// The handshake of A2E, as its page and the companion say.
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { CAPABILITIES } from "../../../src/protocols/a2e/messages/capabilities.js";
import { typesOf } from "../../support/rigs/engine-rig.js";
import { answerTo, base, createA2eStage, handshake, toolCall } from "./a2e-stage.js";

/** The page's own example, literally. */
const EXAMPLE =
  '{"a2e":"1.0","type":"handshake/req","id":"a1b2c3d4","ts":1716123456.789,"agent_id":"my-agent","agent_caps":["tools","memory","env"],"auth_token":"dev-secret"}';

/** A stage whose providers of the configuration are not ready until `tellReady`. */
function awaitingProviders() {
  let tellReady = (): void => {};
  let ready: Promise<void> | undefined = new Promise((resolve) => {
    tellReady = () => {
      ready = undefined;
      resolve();
    };
  });
  return { stage: createA2eStage({ providersReady: () => ready }), tellReady };
}

describe("the handshake", () => {
  it("of the page is answered as on the page", () => {
    const stage = createA2eStage();
    stage.provider(["tools", "memory", "env"], { name: "local", priority: 3 });
    const agent = stage.connect();
    expect(agent.session.isOpen()).toBe(false);
    agent.sayText(EXAMPLE);
    const metadata = { name: "local", type: "peer", priority: 3, exclusive: false };
    expect(agent.received).toEqual([
      {
        a2e: "1.0",
        version: "1.0",
        type: "handshake/resp",
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        ts: Date.UTC(2026, 4, 24, 14, 0, 0) / 1000,
        req_id: "a1b2c3d4",
        session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        accepted_caps: ["tools", "memory", "env"].map((capability) => ({ capability, enabled: true, metadata })),
        max_parallel: 4,
        ok: true,
      },
    ]);
    expect(agent.session.isOpen()).toBe(true);
    expect(stage.services.agents.count()).toBe(1);
  });

  it.each(CAPABILITIES.filter((name) => name !== "multi_agent"))("%s is granted if a provider serves it", (name) => {
    const stage = createA2eStage();
    stage.provider([name]);
    const agent = stage.agent([...CAPABILITIES]);
    expect(agent.last()).toMatchObject({ ok: true, accepted_caps: [{ capability: name, enabled: true }] });
  });

  it.each([
    ["another major version", "version_mismatch", { a2e: "2.0" }],
    ["two versions", "version_mismatch", { a2e: "1.0", version: "1.1" }],
    ["no version", "version_mismatch", { a2e: undefined }],
    ["a number as version", "version_mismatch", { a2e: undefined, version: "one" }],
    ["a wrong token", "auth_failed", { auth_token: "other" }],
    ["no available capability", "no_caps", { agent_caps: ["memory", "multi_agent", "nothing"] }],
    ["no capability at all", "no_caps", { agent_caps: [] }],
  ])("with %s is rejected as %s, and may be tried again", (_, reason, fields) => {
    const stage = createA2eStage({ options: { authToken: () => "dev-secret" } });
    stage.connect().say(base("aaepd.a2e.register", "reg", { capabilities: ["tools"], auth_token: "dev-secret" }));
    const agent = stage.connect();
    agent.say(handshake("hs", ["tools"], fields));
    expect(agent.last()).toMatchObject({
      type: "handshake/resp",
      req_id: "hs",
      ok: false,
      reason,
      session_id: "",
      accepted_caps: [],
      max_parallel: 4,
    });
    expect(agent.session.isOpen()).toBe(false);
    expect(agent.isClosed()).toBe(false);
    agent.say(handshake("again", ["tools"]));
    expect(agent.last()).toMatchObject({ req_id: "again", ok: true });
  });

  it("whose session cannot begin is rejected as server_error", () => {
    const stage = createA2eStage({
      around: () => ({ refusal: () => new Fault("storage_unavailable", "The disk is full.") }),
    });
    stage.provider();
    const agent = stage.agent();
    expect(agent.last()).toMatchObject({ ok: false, reason: "server_error" });
    expect(stage.services.agents.count()).toBe(0);
  });

  it("that access forbids is rejected as auth_failed", () => {
    const stage = createA2eStage({ access: { of: () => ({ may: (operation) => operation !== "publish" }) } });
    stage.provider();
    expect(stage.agent().last()).toMatchObject({ ok: false, reason: "auth_failed" });
  });

  it("waits until the providers of the configuration are ready", async () => {
    const { stage, tellReady } = awaitingProviders();
    const agent = stage.agent();
    expect(agent.received).toEqual([]);
    const room = agent.session.room();
    expect(room).toBeInstanceOf(Promise);
    stage.provider();
    tellReady();
    await room;
    expect(agent.last()).toMatchObject({ type: "handshake/resp", ok: true });
    expect(agent.session.room()).toBeUndefined();
  });

  it("waits for no provider if all of its capabilities are there", () => {
    const { stage } = awaitingProviders();
    stage.provider(["tools"]);
    expect(stage.agent(["tools"]).last()).toMatchObject({ type: "handshake/resp", ok: true });
    expect(stage.agent(["tools", "memory"]).received).toEqual([]);
    expect(stage.agent([]).received).toEqual([]);
  });
});

describe("after a shutdown", () => {
  it("a handshake opens no other session, and another shutdown changes nothing", () => {
    const stage = createA2eStage();
    const reader = stage.listen();
    const provider = stage.provider();
    const agent = stage.agent();
    agent.say(toolCall("c1", "t"));
    agent.say(base("shutdown", "s1", { timeout: 5 }));
    agent.say(base("shutdown", "s2", { timeout: "soon" }));
    expect(agent.last()).toMatchObject({ code: "schema_violation", req_id: "s2" });
    agent.say(handshake("hs2", ["tools"]));
    expect(agent.last()).toMatchObject({ code: "runtime_error", req_id: "hs2" });
    provider.say(answerTo(provider.last()));
    expect(agent.isClosed()).toBe(true);
    agent.session.receive(handshake("hs3", ["tools"]), "");
    stage.clock.settle();
    expect(typesOf(reader.received).filter((type) => type.startsWith("session."))).toEqual([
      "session.started",
      "session.completed",
    ]);
    expect(stage.services.agents.count()).toBe(0);
  });
});

describe("before and beside the handshake", () => {
  it("a ping is answered at any time", () => {
    const stage = createA2eStage();
    stage.provider();
    const agent = stage.connect();
    stage.advance(1500);
    agent.say(base("ping", "p1"));
    expect(agent.last()).toMatchObject({ type: "pong", req_id: "p1", uptime_seconds: 1.5 });
    agent.say(handshake("hs", ["tools"]));
    agent.say(base("ping", "p2"));
    expect(agent.last()).toMatchObject({ type: "pong", req_id: "p2" });
  });

  it("a request is unauthorized", () => {
    const stage = createA2eStage();
    const agent = stage.connect();
    for (const type of ["tool/call/req", "memory/get/req", "strange/thing"]) {
      agent.say(base(type, `id of ${type}`));
      expect(agent.last()).toMatchObject({ code: "unauthorized", req_id: `id of ${type}`, retryable: false });
    }
  });

  it("a shutdown ends the connection", () => {
    const stage = createA2eStage();
    const agent = stage.connect();
    agent.say(base("shutdown", "s"));
    expect(agent.isClosed()).toBe(true);
    expect(agent.received).toEqual([]);
  });
});
