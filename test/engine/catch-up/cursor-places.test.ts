// Places that a subscription is told while text was given by other terms, is skipped, or leaves at once (R17, R26).
import { describe, expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { createEngineRig, type Listener, session, textOf } from "../../support/rigs/engine-rig.js";
import { placeOf } from "../../support/rigs/restart-session.js";

const WORDS: Partial<Terms> = { coalesceBoundaries: ["word"] };
const SENTENCES: Partial<Terms> = { coalesceBoundaries: ["sentence"] };
const _PARAGRAPHS: Partial<Terms> = { coalesceBoundaries: ["paragraph"] };
const _retune = ({ subscription }: Listener, terms: Partial<Terms>): void =>
  subscription.retune({ ...defaultTerms(), ...terms });
const chunksOf = ({ received }: Listener): readonly unknown[] =>
  received.flatMap(({ event }) => (event.chunk === undefined ? [] : [event.chunk]));

describe("R17: the place where text was given by other terms", () => {
  it("does not fall while a return under other terms holds the text back", () => {
    const rig = createEngineRig();
    rig.publish(session().started(), session().chunk("Zero. "));
    const listener = rig.listen(WORDS);
    rig.publish(session().chunk("One two"));
    const first = placeOf(listener);
    expect(textOf(listener.received, "out_1")).toBe("One ");
    listener.subscription.close();
    const back = rig.listen(SENTENCES, "listener", first);
    const second = placeOf(back);
    back.subscription.close();
    const last = rig.listen(SENTENCES, "listener", second);
    rig.publish({ ...session().chunk(" three.", true) });
    expect(textOf(listener.received, "out_1") + textOf(last.received, "out_1")).toBe("One two three.");
  });
});

describe("R26: a skipped output", () => {
  it("that is completed while its peer takes nothing is empty for one that comes back", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen(SENTENCES);
    rig.publish(session().chunk("It begins. And"));
    listener.subscription.skip("sess_1", "out_1");
    listener.block(true);
    rig.publish(session().chunk(" goes on. And on.", true));
    const place = placeOf(listener);
    listener.subscription.close();
    const back = rig.listen(SENTENCES, "listener", place);
    expect(chunksOf(back)).toEqual([""]);
  });
});

describe("R17, R26: after a skip of everything", () => {
  it("the place does not pass what is critical and has still to leave", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen(SENTENCES);
    listener.block(true);
    const [errored] = rig.publish(session().errored());
    listener.subscription.skip(undefined, undefined);
    expect(readCursor(placeOf(listener) ?? "")?.after).toBeLessThan(errored?.epoch ?? 0);
    const back = rig.listen(SENTENCES, "listener", placeOf(listener));
    expect(back.received.map(({ event }) => event.type)).toContain("aaep:agent.session.errored");
  });
});
