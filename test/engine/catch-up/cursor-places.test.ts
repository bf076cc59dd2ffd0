// Places that a subscription is told while text was given by other terms, is skipped, or leaves at once (R17, R26).
import { describe, expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { createEngineRig, type Listener, session, textOf } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";
import { begin, note, placeOf, S } from "../../support/rigs/restart-session.js";

const WORDS: Partial<Terms> = { coalesceBoundaries: ["word"] };
const SENTENCES: Partial<Terms> = { coalesceBoundaries: ["sentence"] };
const PARAGRAPHS: Partial<Terms> = { coalesceBoundaries: ["paragraph"] };
const retune = ({ subscription }: Listener, terms: Partial<Terms>): void =>
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

  it("names as void what never was kept of it", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.listen(PARAGRAPHS, "other");
    const listener = first.listen(WORDS);
    first.publish(session().chunk("half", false, "out_2"));
    first.publish(session().chunk("Kept and "));
    await first.flush();
    first.publish(session().chunk("void and "));
    retune(listener, PARAGRAPHS);
    first.clock.settle();
    first.publish(session().chunk("held"));
    const place = placeOf(listener);
    const second = runs.start();
    second.agent.resumeSession(S, token);
    const back = second.listen(PARAGRAPHS, "listener", place);
    second.publish(session().chunk("other words and more.", true));
    expect(textOf(back.received, "out_1")).toContain("other words and more.");
    expect(back.subscription.resumed).toBe("rolled_back");
  });

  it("moves on although others hold the text that was given", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    rig.listen(PARAGRAPHS, "other");
    const listener = rig.listen(WORDS);
    rig.publish(session().chunk("half", false, "out_2"), session().chunk("Given "));
    const [owed] = rig.publish(session().chunk("and held"));
    retune(listener, PARAGRAPHS);
    rig.clock.settle();
    rig.publish(session().chunk(" of it.", true, "out_2"));
    expect(readCursor(placeOf(listener) ?? "")?.after).toBe((owed?.epoch ?? 0) - 1);
  });
});

describe("R17: what a place names of an output", () => {
  it.each([
    ["is over, and kept back by the filter", { eventFilters: { include: ["session.*"], exclude: [] } }, true],
    ["is still held", PARAGRAPHS, false],
  ] as const)("is forgotten with what was before, where that %s", (_, terms, isOver) => {
    const rig = createEngineRig();
    rig.publish(session().started());
    if (!isOver) rig.listen(PARAGRAPHS, "other");
    const listener = rig.listen(WORDS);
    rig.publish(session().chunk("One two"));
    const place = placeOf(listener);
    listener.subscription.close();
    if (isOver) rig.publish(session().chunk(" three.", true));
    const back = rig.listen(terms, "listener", place);
    rig.publish(session().progress(4));
    expect(back.subscription.status().rememberedCount).toBe(isOver ? 0 : 1);
    expect(readCursor(placeOf(back) ?? "")?.outputs.size).toBe(isOver ? 0 : 1);
    if (!isOver) rig.publish(session().chunk(" three.", true));
    expect(textOf(back.received, "out_1")).toBe(isOver ? "" : "two three.");
    expect(back.subscription.status().rememberedCount).toBe(0);
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

describe("R17, R29: a return to a journal that kept everything", () => {
  it.each(Array.from({ length: 12 }, (_, index) => 30 + index))(
    "is met in full, though %d events stand behind an output that was given as far as it went",
    async (count) => {
      const runs = createRuns();
      const first = runs.start(100, { engine: { queueLimitCount: 4 } });
      const token = begin(first);
      const listener = first.listen(WORDS);
      first.publish(session().chunk("One two"));
      listener.block(true);
      retune(listener, SENTENCES);
      first.publish(session().chunk(" three.\n\n"));
      for (let index = 0; index < count; index += 1) first.publish(note(`n${index}`));
      await first.flush();
      expect(listener.subscription.take().kind).toBe("batch");
      const place = placeOf(listener);
      const second = runs.start();
      second.agent.resumeSession(S, token);
      expect(second.listen(SENTENCES, "listener", place).subscription.resumed).toBe("all");
    },
  );
});
