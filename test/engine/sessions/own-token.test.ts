// A resume token of the agent's own choosing (R8), and as whom a session goes on that was taken over (R2).
import { describe, expect, it } from "vitest";
import type { AgentHandle } from "../../../src/engine/agents/agent-handle.js";
import { takeOwnToken } from "../../../src/engine/sessions/published-event.js";
import { assertPublishedEvent } from "../../../src/protocols/aaep/validation/validate.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

const TOKEN = "3f0c2a9d7b5e4812a6c1d0e9f8b7a654";
const OTHER = "00000000000000000000000000000001";
const VOCABULARY = "https://aaepd.dev/context/v1";
const CONTEXT = ["https://aaep-protocol.org/context/v1", VOCABULARY];

const begun = (token: unknown = TOKEN, members: Record<string, unknown> = {}) => ({
  ...session().started(),
  event_id: "evt_start",
  "@context": CONTEXT,
  extensions: { aaepd: { resume_token: token, ...members } },
});

const publish = (agent: AgentHandle, fields: Record<string, unknown>, token?: string) =>
  agent.publish([{ fields, source: JSON.stringify(fields) }], false, token);

describe("R8: a token of the agent's own choosing", () => {
  it("is taken out before the event is journaled or delivered, and is what the answer says", () => {
    const journaled: string[] = [];
    const rig = createEngineRig({ journaled: (entry) => void journaled.push(JSON.stringify(entry)) });
    const raw = rig.listen({ coalesceBoundaries: ["none"] });
    expect(publish(rig.agent, begun()).resumeToken).toBe(TOKEN);
    rig.clock.settle();
    expect(raw.received[0]?.event).toMatchObject({ event_id: "evt_start", "@context": CONTEXT });
    expect(raw.received[0]?.event).not.toHaveProperty("extensions");
    expect(JSON.stringify([journaled, raw.received.map(({ event }) => event)])).not.toContain(TOKEN);
  });

  it("leaves other extensions and members where they are", () => {
    const rig = createEngineRig();
    const raw = rig.listen({
      coalesceBoundaries: ["none"],
      supportedExtensions: ["https://x.example/acme/context/v1"],
    });
    const more = { ...begun(TOKEN, { approved_by: "host" }), event_id: "evt_more" };
    publish(rig.agent, { ...more, extensions: { ...more.extensions, acme: { score: 1 } } });
    rig.clock.settle();
    expect(raw.received[0]?.event.extensions).toEqual({ acme: { score: 1 }, aaepd: { approved_by: "host" } });
  });

  it("is looked for in nothing but the start of a session, which need not have one", () => {
    const inputs = [
      { fields: { ...session().progress(1), extensions: { aaepd: { resume_token: TOKEN } } } },
      { fields: { ...session().started(), extensions: { aaepd: { approved_by: "host" } } } },
      { fields: { ...session().started(), extensions: { aaepd: TOKEN } } },
    ];
    for (const input of inputs) expect(takeOwnToken(input)).toEqual({ input, token: undefined });
  });

  it("opens the session from another connection, and another token does not", () => {
    const rig = createEngineRig();
    publish(rig.agent, begun());
    const other = rig.openAgent();
    expect(faultOf(() => publish(other, session().progress(1), OTHER)).code).toBe("session_not_yours");
    expect(publish(other, session().progress(1), TOKEN).events).toHaveLength(1);
    expect(faultOf(() => other.resumeSession("sess_1", OTHER)).code).toBe("session_not_yours");
    expect(other.resumeSession("sess_1", TOKEN).sessionId).toBe("sess_1");
    expect(rig.engine.holderOf(TOKEN)).toBeDefined();
    expect(rig.engine.holderOf(OTHER)).toBeUndefined();
  });

  it("may be one for several sessions: the end of one, or of its agent, leaves the token to the others", () => {
    const rig = createEngineRig();
    const other = rig.openAgent();
    for (const [id, by] of [
      ["sess_0", other],
      ["sess_1", rig.agent],
      ["sess_2", rig.agent],
    ] as const)
      publish(by, { ...begun(), session_id: id, event_id: `evt_${id.slice(5)}` });
    other.close();
    publish(rig.agent, session("sess_2").completed());
    expect(rig.engine.holderOf(TOKEN)).toBeDefined();
    expect(rig.openAgent().resumeSession("sess_1", TOKEN).sessionId).toBe("sess_1");
    publish(rig.agent, session("sess_1").completed(), TOKEN);
    expect(rig.engine.holderOf(TOKEN)).toBeUndefined();
  });

  it("gives the session to whoever repeats its start with it, where its agent is away, and to nobody else", () => {
    const rig = createEngineRig();
    publish(rig.agent, begun());
    rig.agent.close();
    const [stranger, mine] = [rig.openAgent(), rig.openAgent()];
    const { extensions: _, ...bare } = begun();
    expect(faultOf(() => publish(stranger, bare)).code).toBe("event_id_reused");
    expect(faultOf(() => publish(stranger, begun(OTHER))).code).toBe("event_id_reused");
    expect(faultOf(() => publish(stranger, session().progress(1))).code).toBe("session_not_yours");
    expect(publish(mine, begun()).resumeToken).toBe(TOKEN);
    expect(publish(mine, session().progress(1)).events).toHaveLength(1);
    rig.advance(60_000);
    expect(rig.engine.status().openSessionCount).toBe(1);
  });

  it("is nobody else's where its start was a notification, which is not answered", () => {
    const rig = createEngineRig();
    rig.agent.publish([{ fields: begun() }], false);
    rig.agent.close();
    const stranger = rig.openAgent();
    const { extensions: _, ...bare } = begun();
    expect(faultOf(() => publish(stranger, bare)).code).toBe("event_id_reused");
    expect(faultOf(() => publish(stranger, session().progress(1))).code).toBe("session_not_yours");
  });

  it("is kept as its hash alone, and opens the session after a kill", async () => {
    const runs = createRuns();
    const first = runs.start();
    publish(first.agent, begun());
    await first.flush();
    for (const name of ["session", "past"])
      expect(JSON.stringify([...runs.disk.state(name).entries()])).not.toContain(TOKEN);
    expect(JSON.stringify(runs.disk.events())).not.toContain(TOKEN);
    const second = runs.start();
    expect(faultOf(() => second.agent.resumeSession("sess_1", OTHER)).code).toBe("session_not_yours");
    expect(second.agent.resumeSession("sess_1", TOKEN).sessionId).toBe("sess_1");
  });

  it.each([["short"], ["a".repeat(257)], [5], [null], [TOKEN.slice(1)], ["spaced out token of some length"], [""]])(
    "%j is refused, and nothing of it is repeated",
    (token) => {
      const rig = createEngineRig();
      const fault = faultOf(() => publish(rig.agent, begun(token)));
      expect(fault).toMatchObject({ code: "invalid_event", pointer: "/extensions/aaepd/resume_token", rule: "R8" });
      if (typeof token === "string" && token !== "") expect(fault.sentence).not.toContain(token);
      expect(rig.engine.status().openSessionCount).toBe(0);
    },
  );

  it.each([["vH5sPq_Zr3-X0aBcDeFgHi"], ["3F0C2A9D-7B5E-4812-A6C1-D0E9F8B7A654"], ["f".repeat(64)]])(
    "%s will do",
    (token) => {
      const rig = createEngineRig();
      expect(publish(rig.agent, begun(token)).resumeToken).toBe(token);
    },
  );

  it("belongs to the start of a session alone", () => {
    const event = {
      ...begun(),
      ...session().progress(1),
      timestamp: "2026-05-24T14:00:00.000Z",
      producer: { agent_id: "a" },
    };
    expect(faultOf(() => assertPublishedEvent(event))).toMatchObject({
      code: "invalid_event",
      pointer: "/extensions/aaepd/resume_token",
      rule: "R8",
    });
  });
});

describe("R2, R8: a session that was taken over goes on as its agent", () => {
  const NAMELESS = { engine: { producerId: undefined } };
  const planner = { agent_id: "planner", agent_name: "Planner" };

  it("where the connection that has it now has said nothing of itself, also in its next event", () => {
    const rig = createEngineRig(NAMELESS);
    const reader = rig.listen({ coalesceBoundaries: ["none"] });
    const first = rig.openAgent(planner);
    const { resumeToken } = publish(first, session().started());
    first.close();
    const second = rig.openAgent();
    second.resumeSession("sess_1", String(resumeToken));
    publish(second, session().progress(1));
    publish(second, session().progress(2));
    // By the token alone as well.
    second.close();
    const third = rig.openAgent();
    publish(third, session().progress(3), String(resumeToken));
    publish(third, session().progress(4));
    rig.clock.settle();
    expect(reader.received.map(({ event }) => event.producer)).toEqual([planner, planner, planner, planner, planner]);
  });

  it("where that connection goes by another name, and not in sessions of its own", () => {
    const rig = createEngineRig(NAMELESS);
    const reader = rig.listen({ coalesceBoundaries: ["none"] });
    const first = rig.openAgent(planner);
    const { resumeToken } = publish(first, session().started());
    const second = rig.openAgent({ agent_id: "helper" });
    // It is a guest as long as the other has it.
    publish(second, session().progress(1), String(resumeToken));
    second.resumeSession("sess_1", String(resumeToken));
    publish(second, session().progress(2));
    publish(second, session("sess_2").started());
    publish(rig.openAgent({ agent_id: "guest" }), session().progress(3), String(resumeToken));
    rig.clock.settle();
    expect(reader.received.map(({ event }) => event.producer.agent_id)).toEqual([
      "planner",
      "helper",
      "planner",
      "helper",
      "guest",
    ]);
  });

  it("after a kill", async () => {
    const runs = createRuns();
    const first = runs.start(0, NAMELESS);
    const agent = first.openAgent(planner);
    const { resumeToken } = publish(agent, session().started());
    await first.flush();
    const second = runs.start(0, NAMELESS);
    const reader = second.listen({ coalesceBoundaries: ["none"] });
    second.agent.resumeSession("sess_1", String(resumeToken));
    publish(second.agent, session().progress(1));
    second.clock.settle();
    expect(reader.received.at(-1)?.event.producer).toEqual(planner);
  });

  it("where a nameless connection repeats the session's start", () => {
    const rig = createEngineRig(NAMELESS);
    const reader = rig.listen({ coalesceBoundaries: ["none"] });
    const first = rig.openAgent(planner);
    const { producer: _, ...start }: Readonly<Record<string, unknown>> = { ...begun(), producer: planner };
    publish(first, start);
    first.close();
    const mine = rig.openAgent();
    publish(mine, start);
    publish(mine, session().progress(1));
    rig.clock.settle();
    expect(reader.received.map(({ event }) => event.producer)).toEqual([planner, planner]);
  });
});
