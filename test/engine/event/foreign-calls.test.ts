// R5c: ids of calls that an agent has from its host, and the tool_call_id that stands for them.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";

const VOCABULARIES = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
const FOREIGN = "toolu_01A/ä 7";
const MAPPED = `call_${createHash("sha256").update(`sess_1\0${FOREIGN}`).digest("hex").slice(0, 32)}`;

const own = (members: Record<string, unknown>) => ({ "@context": VOCABULARIES, extensions: { aaepd: members } });

/** An event about a call, without AAEP's id. */
function about(event: Record<string, unknown>, members: Record<string, unknown>): Record<string, unknown> {
  const { tool_call_id: _, ...others } = event;
  return { ...others, ...own(members) };
}

const invoked = (callId: unknown) => about(session().invoked("write", ""), { call_id: callId });
const done = (callId: unknown) => about(session().toolDone("write", ""), { call_id: callId });

function begun(): EngineRig {
  const rig = createEngineRig();
  rig.publish(session().started());
  return rig;
}

describe("R5c: a foreign id of a call", () => {
  it("is delivered as the tool_call_id that stands for it, in every event about the call", () => {
    const rig = begun();
    const heard = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { ...own({ call_id: FOREIGN }), extra_context: { tool: "write" } }));
    rig.agent.cancel("rpl_1");
    rig.publish(invoked(FOREIGN), done(FOREIGN));
    rig.clock.settle();
    const events = heard.received.map(({ event }) => event);
    expect(events.find(({ reply_token }) => reply_token === "rpl_1")?.extra_context).toEqual({
      tool: "write",
      tool_call_id: MAPPED,
    });
    expect(events.filter(({ type }) => type.includes("tool")).map(({ tool_call_id }) => tool_call_id)).toEqual([
      MAPPED,
      MAPPED,
    ]);
    expect(JSON.stringify(events)).not.toContain("toolu_01A");
  });

  it("is another call in another session, and the same one for a repeated publish (R3)", () => {
    const rig = begun();
    const heard = rig.listen({});
    rig.publish(session("sess_2").started());
    const event = { ...invoked(FOREIGN), event_id: "evt_call" };
    const [first] = rig.publish(event);
    expect(rig.publish(event)).toEqual([first]);
    rig.publish({ ...invoked(FOREIGN), session_id: "sess_2" });
    const ids = heard.received.flatMap(({ event: { tool_call_id } }) => tool_call_id ?? []);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it("keeps the call back while a question about it is open (AAEP §6.1)", () => {
    const rig = begun();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", own({ call_id: FOREIGN })));
    expect(faultOf(() => rig.publish(invoked(FOREIGN)))).toMatchObject({ code: "confirmation_required" });
    expect(() => rig.publish(invoked("another"))).not.toThrow();
  });

  it.each([["a".repeat(256)], ["😀".repeat(256)], ["\u0000"], [" "], ["__proto__"]])("may be %j", (callId) => {
    const rig = begun();
    expect(() => rig.publish(invoked(callId), done(callId))).not.toThrow();
  });
});
