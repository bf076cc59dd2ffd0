// AAEP §4.4, §5.3.1.4, R6: nobody hears of a question twice.
import { describe, expect, it } from "vitest";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, clarification, confirmation, started } from "../../support/rigs/question-rig.js";

const { state } = session();

const told = ({ received }: Listener) =>
  received.map(({ event }) => event).filter(({ extensions }) => extensions?.aaepd?.summary === undefined);

describe("R6, P12: a question that comes without awaiting_input", () => {
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
