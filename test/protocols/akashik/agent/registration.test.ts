// REGISTER and DEREGISTER: one agent for each connection, and one connection for each agent.
import { describe, expect, it } from "vitest";
import type { Operation } from "../../../../src/contracts/access.js";
import { codeOf, createAkashikStage, RECORD, subscribe } from "../akashik-stage.js";

const ROLE = { role: "strategist" };

describe("REGISTER", () => {
  it("is answered with the agent and with what the Field can do", async () => {
    const stage = createAkashikStage();
    const peer = stage.connect();
    expect(peer.session.isOpen()).toBe(false);
    const more = { agent_id: "a", session_id: "s-1" };
    expect(await peer.ask("REGISTER", { id: "a", ...ROLE, interests: ["pricing"] }, more)).toEqual({
      protocol: "akashik",
      version: "0.1.0",
      id: "m1",
      operation: "REGISTER",
      agent_id: "a",
      session_id: "s-1",
      epoch: 1,
      payload: {
        status: "registered",
        agent: { id: "a", role: "strategist", interests: ["pricing"], status: "active", epoch: 1 },
        field_capabilities: {
          conformance_level: 2,
          supported_operations: ["REGISTER", "DEREGISTER", "RECORD", "ATTUNE", "DETECT", "MERGE", "SUBSCRIBE"],
          protocol_version: "0.1.0",
          persistence: "memory",
          conflict_strategies: ["last_write_wins", "confidence_weighted", "human_escalation"],
        },
        rejection_reason: null,
      },
    });
    expect(peer.session.isOpen()).toBe(true);
  });

  it("is rejected if a required operation is not offered, naming each; another one may follow", async () => {
    const stage = createAkashikStage();
    const peer = stage.connect();
    const required_operations = ["RECORD", "HANDOFF", "REPLAY"];
    const { payload } = await peer.ask("REGISTER", { id: "a", ...ROLE, required_operations });
    expect(payload).toMatchObject({
      status: "rejected",
      agent: null,
      rejection_reason: "This Field does not offer HANDOFF, REPLAY.",
    });
    expect(codeOf(await peer.ask("DETECT", {}))).toBe("AGENT_NOT_REGISTERED");
    const again = await peer.ask("REGISTER", { id: "a", ...ROLE, required_operations: ["RECORD"] });
    expect(again.payload.status).toBe("registered");
  });

  it("of an id that is connected: AGENT_ID_TAKEN, and so a second agent on one connection", async () => {
    const stage = createAkashikStage();
    const first = await stage.agent("a");
    const second = stage.connect();
    expect(codeOf(await second.ask("REGISTER", { id: "a", ...ROLE }))).toBe("AGENT_ID_TAKEN");
    expect(second.session.isOpen()).toBe(false);
    for (const id of ["a", "b"]) expect(codeOf(await first.ask("REGISTER", { id, ...ROLE }))).toBe("AGENT_ID_TAKEN");
    expect((await first.ask("DETECT", {}, { agent_id: "a" })).payload.status).toBe("ok");
    expect(stage.field().has("b")).toBe(false);
  });

  it("of an id whose connection is gone takes it over, with its subscriptions and what waited", async () => {
    const stage = createAkashikStage();
    const reader = await stage.agent("reader");
    const writer = await stage.agent("writer");
    await reader.ask("SUBSCRIBE", subscribe(["memory.recorded"]));
    reader.session.ended();
    await writer.ask("RECORD", RECORD);
    const back = stage.connect();
    const { payload } = await back.ask("REGISTER", { id: "reader", role: "reader", interests: ["prices"] });
    expect(payload.agent).toMatchObject({ role: "reader", interests: ["prices"] });
    expect(back.received.map(({ operation }) => operation)).toEqual(["REGISTER", "SUBSCRIBE"]);
    expect(back.pushed()).toMatchObject([{ event: "memory.recorded" }]);
    expect((await back.ask("SUBSCRIBE", { action: "list" })).payload.subscriptions).toHaveLength(1);
    expect(reader.pushed()).toEqual([]);
  });
});

describe("an agent that is not registered", () => {
  it.each<[operation: string, payload: object]>([
    ["DEREGISTER", {}],
    ["RECORD", RECORD],
    ["SUBSCRIBE", { action: "list" }],
  ])("cannot %s", async (operation, payload) => {
    const stage = createAkashikStage();
    expect(codeOf(await stage.connect().ask(operation, payload))).toBe("AGENT_NOT_REGISTERED");
  });

  it("cannot speak over the connection of another one; without `agent_id`, a message is the connection's own", async () => {
    const stage = createAkashikStage();
    const peer = await stage.agent("a");
    await stage.agent("b");
    for (const agent_id of ["b", "c"])
      expect(codeOf(await peer.ask("DETECT", {}, { agent_id }))).toBe("AGENT_NOT_REGISTERED");
    for (const agent_id of ["a", null]) expect((await peer.ask("DETECT", {}, { agent_id })).payload.status).toBe("ok");
  });
});

describe("DEREGISTER", () => {
  it.each([[{ agent_id: "a" }], [{}]])(
    "%j removes the agent with its subscriptions; its units stay",
    async (payload) => {
      const stage = createAkashikStage();
      const peer = await stage.agent("a");
      await peer.ask("SUBSCRIBE", subscribe(["memory.recorded"]));
      await peer.ask("SUBSCRIBE", subscribe(["agent.joined"]));
      await peer.ask("RECORD", RECORD);
      const answer = await peer.ask("DEREGISTER", payload);
      expect(answer.payload).toEqual({ status: "ok", cleanup: { subscriptions: 2, notifications: 0 } });
      expect(peer.session.isOpen()).toBe(false);
      expect(codeOf(await peer.ask("DETECT", {}))).toBe("AGENT_NOT_REGISTERED");
      expect(stage.field().counts()).toMatchObject({ agents: 0, subscriptions: 0, units: 1 });
      const again = await peer.ask("REGISTER", { id: "a2", ...ROLE });
      expect(again.payload.status).toBe("registered");
    },
  );

  it("of another agent removes nothing", async () => {
    const stage = createAkashikStage();
    const peer = await stage.agent("a");
    await stage.agent("b");
    for (const agent_id of ["b", "nobody"])
      expect((await peer.ask("DEREGISTER", { agent_id })).payload).toEqual({
        status: "not_found",
        cleanup: { subscriptions: 0, notifications: 0 },
      });
    expect(stage.field().counts().agents).toBe(2);
  });

  it("is not undone by the end of the connection: another one may have the id by then", async () => {
    const stage = createAkashikStage();
    const first = await stage.agent("a");
    await first.ask("DEREGISTER", {});
    const second = await stage.agent("a");
    await second.ask("SUBSCRIBE", subscribe(["memory.recorded"]));
    first.session.ended();
    const writer = await stage.agent("writer");
    await writer.ask("RECORD", RECORD);
    expect(second.pushed()).toHaveLength(1);
  });
});

it("the clock takes the epoch of each message with a good envelope, and refuses one that is too far ahead", async () => {
  const stage = createAkashikStage();
  const peer = await stage.agent("a");
  expect((await peer.ask("DETECT", {}, { epoch: 30 })).epoch).toBe(31);
  expect((await peer.ask("DETECT", {}, { epoch: 5 })).epoch).toBe(32);
  for (const epoch of [33 + 2 ** 32, -1, 1.5, 2 ** 60])
    expect(codeOf(await peer.ask("DETECT", {}, { epoch }))).toBe("EPOCH_OVERFLOW");
  expect((await peer.ask("DETECT", {}, { epoch: 32 + 2 ** 32 })).epoch).toBe(33 + 2 ** 32);
});

describe("R36: REGISTER", () => {
  const may = (...allowed: readonly Operation[]) => ({
    of: () => ({ may: (operation: Operation) => allowed.includes(operation) }),
  });

  it("names the operations that the connection may use, and rejects what needs another one", async () => {
    const stage = createAkashikStage({ access: may("subscribe") });
    const required_operations = ["RECORD", "ATTUNE"];
    const { payload } = await stage.connect().ask("REGISTER", { id: "a", role: "r", required_operations });
    expect(payload).toMatchObject({
      status: "rejected",
      field_capabilities: { supported_operations: ["REGISTER", "DEREGISTER", "ATTUNE", "DETECT", "SUBSCRIBE"] },
      rejection_reason: "This Field does not offer RECORD.",
    });
  });

  it("needs the right to publish or to subscribe, and a forbidden operation moves nothing", async () => {
    const stage = createAkashikStage({ access: may("observe") });
    const answer = await stage.connect().ask("REGISTER", { id: "a", role: "r" }, { epoch: 7 });
    expect(answer.payload.error).toMatchObject({ code: "UNSUPPORTED_OPERATION", recoverable: false });
    expect(stage.field().counts().agents).toBe(0);
    expect(stage.field().epoch()).toBe(0);
  });
});
