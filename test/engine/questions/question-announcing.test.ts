// AAEP §4.4, §5.3.1.4, R6: nobody hears of a question twice.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, clarification, confirmation, give, started } from "../../support/rigs/question-rig.js";

const { state } = session();

const told = ({ received }: Listener) =>
  received.map(({ event }) => event).filter(({ extensions }) => extensions?.aaepd?.summary === undefined);
const changes = (listener: Listener) =>
  told(listener).flatMap(({ from_state, to_state }) => (to_state === undefined ? [] : [`${from_state} → ${to_state}`]));
const isSaying = ({ summary_terse: terse, summary_normal: normal }: AgentEvent) =>
  terse !== undefined || normal !== undefined;

describe("R6, P12: a question that comes without awaiting_input", () => {
  it("is announced to those who can answer it by itself alone: the state before it says nothing", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(state("idle", "thinking"), confirmation("rpl_1"));
    const [, supplied, question] = told(able);
    expect(supplied).toMatchObject({
      from_state: "thinking",
      to_state: "awaiting_input",
      extensions: { aaepd: { by: "daemon" } },
    });
    expect(supplied && isSaying(supplied)).toBe(false);
    expect(question?.type).toBe("aaep:agent.awaiting.confirmation");
    expect(told(able)).toHaveLength(3);
  });

  it("is announced to all others by one state, which is the notice", () => {
    const rig = started();
    rig.listen(ABLE);
    const deaf = rig.listen({ supportsClarificationReply: true });
    rig.publish(state("idle", "thinking"), confirmation("rpl_1"));
    expect(changes(deaf)).toEqual(["idle → thinking", "thinking → awaiting_input"]);
    expect(told(deaf).at(-1)?.summary_normal).toContain("Do rpl_1.");
  });

  it("asked while another is open, or after the agent's own awaiting_input, leaves that state as it is", () => {
    const rig = started();
    rig.listen(ABLE);
    const deaf = rig.listen();
    rig.publish(confirmation("rpl_1"), clarification("rpl_2"));
    rig.publish(state("awaiting_input", "thinking"), state("thinking", "awaiting_input"), confirmation("rpl_3"));
    const notices = told(deaf).filter(({ extensions }) => extensions?.aaepd?.asks !== undefined);
    expect(notices.map(({ from_state }) => from_state)).toEqual(["idle", "awaiting_input", "awaiting_input"]);
  });

  it("the last resolution restores the state before it, earlier ones are told in place", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(state("idle", "thinking"), confirmation("rpl_1"), confirmation("rpl_2"));
    give(rig, able, "rpl_1", "accept");
    give(rig, able, "rpl_2", "reject");
    expect(changes(able)).toEqual([
      "idle → thinking",
      "thinking → awaiting_input",
      "awaiting_input → awaiting_input",
      "awaiting_input → thinking",
    ]);
    // R3a: what the agent says of that afterwards goes on from the restored state, and is not told where it says nothing new.
    rig.publish(state("awaiting_input", "thinking"), state("thinking", "deciding"));
    expect(changes(able).at(-1)).toBe("thinking → deciding");
    expect(changes(able)).toHaveLength(5);
  });

  it("AAEP §6.8: only the agent's own way to thinking or deciding cancels what it asked, and then all of it", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"), clarification("rpl_2"));
    rig.publish(state("awaiting_input", "calling_tool"));
    rig.publish({ ...state("idle", "thinking"), producer: { agent_id: "other" } });
    expect(rig.agent.outcomes).toHaveLength(0);
    rig.publish(state("calling_tool", "awaiting_input"), state("awaiting_input", "deciding"));
    expect(rig.agent.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["cancelled", "cancelled"]);
  });

  it("is not announced again to a subscription that was asked and can answer no longer", () => {
    const rig = started();
    rig.listen(ABLE);
    const reader = rig.listen({ ...ABLE, maxEventsPerSecond: 1 });
    rig.publish(confirmation("rpl_1"));
    reader.subscription.retune({ ...reader.subscription.terms(), supportsConfirmationReply: false });
    rig.advance(5000);
    expect(told(reader).filter(({ extensions }) => extensions?.aaepd?.question !== undefined)).toEqual([]);
  });

  it("R34: nor where its view takes the notice late", () => {
    const rig = createEngineRig({ engine: { turnRoomMs: 0 }, turnsBetween: 0 });
    const { started: begin, chunk } = session();
    rig.listen(ABLE);
    const reader = rig.listen(ABLE);
    rig.publish(begin());
    rig.publish(...Array.from({ length: 50 }, () => chunk("word ".repeat(100))), confirmation("rpl_1"));
    rig.clock.turn();
    expect(told(reader).some(({ type }) => type.includes("awaiting"))).toBe(true);
    reader.subscription.retune({ ...reader.subscription.terms(), supportsConfirmationReply: false });
    rig.clock.settle();
    expect(told(reader).filter(({ extensions }) => extensions?.aaepd?.question !== undefined)).toEqual([]);
  });
});
