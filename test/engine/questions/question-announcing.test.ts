// AAEP §4.4, §5.3.1.4, R6: nobody hears of a question twice.
import { describe, expect, it } from "vitest";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";

const told = ({ received }: Listener) =>
  received.map(({ event }) => event).filter(({ extensions }) => extensions?.aaepd?.summary === undefined);

describe("R6: a question that comes without awaiting_input", () => {
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
