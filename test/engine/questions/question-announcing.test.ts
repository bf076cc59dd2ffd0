// AAEP §4.4, §5.3.1.4, R6: nobody hears of a question twice.
import { describe, expect, it } from "vitest";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";

const told = ({ received }: Listener) =>
  received.map(({ event }) => event).filter(({ extensions }) => extensions?.aaepd?.summary === undefined);

describe("R6: a question that comes without awaiting_input", () => {
  it("nor who was asked, and then can no longer answer", () => {
    const rig = createEngineRig();
    rig.listen(ABLE);
    const reader = rig.listen(ABLE);
    rig.publish(session().started(), confirmation("rpl_1"));
    expect(told(reader).some(({ type }) => type.includes("awaiting"))).toBe(true);
    reader.subscription.retune({ ...reader.subscription.terms, supportsConfirmationReply: false });
    rig.clock.settle();
    expect(told(reader).filter(({ extensions }) => extensions?.aaepd?.question !== undefined)).toEqual([]);
  });
});
