// Text and skips that a place covers: it covers them in every later place, and in returns that are broken off (R17, R26, R29).
import { describe, expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, session, textOf } from "../../support/rigs/engine-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";
import { begin, note, placeOf } from "../../support/rigs/restart-session.js";

const SENTENCES: Partial<Terms> = { coalesceBoundaries: ["sentence"] };
const PASS: Partial<Terms> = { coalesceBoundaries: ["none"] };

describe("R17: cursors never fall", () => {
  it("a later place covers what an earlier one covered of an output that is over by now", () => {
    const rig = createEngineRig();
    rig.publish(session().started(), session("sess_2").started());
    const listener = rig.listen(SENTENCES);
    rig.publish(session().chunk("Half a", false, "out_a"));
    rig.publish(session("sess_2").chunk("One is said. Two is", false, "out_b"));
    const first = placeOf(listener);
    rig.publish(session("sess_2").chunk(" said.", true, "out_b"));
    expect(textOf(listener.received, "out_b")).toBe("One is said. Two is said.");
    const second = placeOf(listener);
    listener.subscription.close();
    const byFirst = rig.listen(SENTENCES, "one", first);
    const bySecond = rig.listen(SENTENCES, "two", second);
    expect(textOf(byFirst.received, "out_b")).toBe("Two is said.");
    // What the first place covers is not sent after the second.
    expect(textOf(bySecond.received, "out_b")).not.toContain("One is said.");
  });

  it("a place in the middle of a return covers what the place that was named covers", () => {
    const rig = createEngineRig();
    rig.publish(session().started(), session("sess_2").started());
    const listener = rig.listen(SENTENCES);
    rig.publish(session().chunk("Half a", false, "out_a"));
    rig.publish(session().chunk("One is said. Now", false, "out_b"));
    for (let index = 0; index < 900; index += 1)
      rig.publish(note(`n${index}`, "sess_2"), session("sess_2").toolDone("look", `call_n${index}`));
    rig.publish(session().chunk(" two is said. Three is", false, "out_b"));
    const first = placeOf(listener);
    expect(textOf(listener.received, "out_b")).toBe("One is said. Now two is said. ");
    listener.subscription.close();
    const back = rig.listen({ ...PASS, maxEventsPerSecond: undefined }, "listener", first);
    const middle = back.places.find(({ cursor }) => cursor !== undefined && cursor !== first)?.cursor;
    back.subscription.close();
    const last = rig.listen(PASS, "listener", middle);
    expect(readCursor(middle ?? "")?.after).toBeGreaterThan(readCursor(first ?? "")?.after ?? 0);
    expect(textOf(last.received, "out_b")).not.toContain("two is said.");
  });
});

describe("R26: skips in a cursor", () => {
  it.each([0, 16])("%d skips that came too late do not displace the one that counts", (count) => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen(SENTENCES);
    for (let index = 0; index < count; index += 1) {
      rig.publish(session().chunk("Said already.", true, `out_old${index}`));
      listener.subscription.skip("sess_1", `out_old${index}`);
    }
    rig.publish(session().chunk("It begins. And it", false, "out_x"));
    listener.subscription.skip("sess_1", "out_x");
    rig.publish(session().chunk(" goes on. And", false, "out_x"));
    const place = placeOf(listener);
    listener.subscription.close();
    const back = rig.listen(SENTENCES, "listener", place);
    rig.publish(session().chunk(" on.", true, "out_x"));
    expect(textOf(back.received, "out_x")).toBe("");
  });

  it("16 late skips do not make an output be heard again", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen(SENTENCES);
    for (let index = 0; index < 16; index += 1) {
      rig.publish(session().chunk("Said already.", true, `out_old${index}`));
      listener.subscription.skip("sess_1", `out_old${index}`);
    }
    rig.publish(session().chunk("Half", false, "out_a"));
    rig.publish(session().chunk("It begins. And goes on. And it", false, "out_x"));
    const place = placeOf(listener);
    expect(listener.subscription.status().rememberedCount).toBe(0);
    listener.subscription.close();
    const back = rig.listen(SENTENCES, "listener", place);
    rig.publish(session().chunk(" on.", true, "out_x"));
    expect(textOf(back.received, "out_x")).toBe("And it on.");
  });

  it("a skip is named while its output may go on, and then until the place has passed its end", () => {
    const rig = createEngineRig();
    rig.publish(session().started(), session("sess_2").started());
    const listener = rig.listen(SENTENCES);
    const isSkipNamed = (): boolean => /-e-\d/.test(placeOf(listener) ?? "");
    rig.publish(session("sess_2").chunk("Half", false, "out_held"));
    rig.publish(session().chunk("It begins. And", false, "out_x"));
    listener.subscription.skip("sess_1", "out_x");
    rig.publish(session().chunk(" goes on. And", false, "out_x"));
    expect(isSkipNamed()).toBe(true);
    rig.publish(session().chunk(" on.", true, "out_x"));
    // The other output holds the place down: without its name the text would be heard again.
    expect(isSkipNamed()).toBe(true);
    const place = placeOf(listener);
    const back = rig.listen(SENTENCES, "back", place);
    expect(textOf(back.received, "out_x")).toBe("");
    rig.publish(session("sess_2").chunk(" is said.", true, "out_held"));
    for (const one of [listener, back]) expect(placeOf(one)).not.toContain("-e-");
    expect(back.subscription.status().rememberedCount).toBe(0);
  });

  it("a skip that came too late is not remembered, and costs nothing after a return", () => {
    const hashed: string[] = [];
    const rig = createEngineRig({ hashed: (text) => void hashed.push(text) });
    rig.publish(session().started());
    const listener = rig.listen(PASS);
    rig.publish(session().chunk("Said already.", true, "out_old"));
    listener.subscription.skip("sess_1", "out_old");
    const place = placeOf(listener);
    listener.subscription.close();
    const back = rig.listen(PASS, "listener", place);
    expect(back.subscription.status().rememberedCount).toBe(0);
    hashed.length = 0;
    for (let count = 0; count < 100; count += 1) rig.publish(session().chunk("x ", false, "out_b"));
    expect(hashed.filter((text) => text === "sess_1/out_b")).toEqual([]);
  });
});

describe("R17: how a place was met", () => {
  it("is all, where all that was given was kept", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const listener = first.listen(SENTENCES);
    first.publish(session().chunk("One is said. "));
    await first.flush();
    first.publish(session().chunk("Two is not"));
    expect(textOf(listener.received, "out_1")).toBe("One is said. ");
    const place = placeOf(listener);
    const second = runs.start();
    const back = second.listen(SENTENCES, "listener", place);
    expect(back.subscription.resumed).toBe("all");
  });

  it("text that was kept is not sent again", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const listener = first.listen(SENTENCES);
    first.publish(session().chunk("Half", false, "out_a"));
    first.publish(session().chunk("One is said. Two is"));
    first.publish(session().chunk(" said. "));
    await first.flush();
    first.publish(session().chunk("Three is not"));
    expect(textOf(listener.received, "out_1")).toBe("One is said. Two is said. ");
    const place = placeOf(listener);
    const second = runs.start();
    const back = second.listen(SENTENCES, "listener", place);
    expect(textOf(back.received, "out_1")).toBe("");
  });
});
