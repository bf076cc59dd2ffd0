// R17, R34: how sessions stood when a subscription came, for as long as it is still to be told.
import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../../src/engine/sessions/session-record.js";
import { createSessionSnapshots } from "../../../src/engine/sessions/session-snapshots.js";

/** Sessions of which each has a state that is replaced, and how often one was summed up. */
function stage() {
  const states = new Map<string, string>();
  let summedCount = 0;
  const summary = (id: string): SessionSummary | undefined => {
    const state = states.get(id);
    if (state === undefined) return undefined;
    summedCount += 1;
    return { sessionId: id, state } as SessionSummary;
  };
  const standings = createSessionSnapshots({ openIds: () => [...states.keys()], summary });
  const change = (id: string, state: string | undefined): void => {
    const before = states.get(id);
    if (before !== undefined)
      standings.changing(id, () => summary(id) ?? expect.fail(`nobody knows ${id}, which is open`));
    if (state === undefined) states.delete(id);
    else states.set(id, state);
  };
  return { standings, change, summedCount: () => summedCount };
}

describe("R17, R34: how sessions stood at a moment", () => {
  it("nothing is gathered at that moment, and once for a session that changes afterwards, however often", () => {
    const { standings, change, summedCount } = stage();
    for (const id of ["sess_1", "sess_2", "sess_3"]) change(id, "thinking");
    const then = standings.now();
    expect([then.ids, summedCount()]).toEqual([["sess_1", "sess_2", "sess_3"], 0]);
    for (const state of ["calling_tool", "writing_output", "idle"]) change("sess_2", state);
    change("sess_3", undefined);
    expect(summedCount()).toBe(2);
    change("sess_4", "thinking");
    expect(then.ids.map((id) => then.of(id)?.state)).toEqual(["thinking", "thinking", "thinking"]);
  });

  it("each moment has its own, and what nobody asks for any more is forgotten", () => {
    const { standings, change } = stage();
    change("sess_1", "a");
    const first = standings.now();
    change("sess_1", "b");
    const second = standings.now();
    change("sess_1", "c");
    expect([first, second, standings.now()].map(({ of }) => of("sess_1")?.state)).toEqual(["a", "b", "c"]);
    first.release();
    second.release();
    expect(standings.keptCount()).toBe(2);
  });

  it("one that is never told does not make others' versions pile up", () => {
    const { standings, change } = stage();
    change("sess_1", "first");
    const paused = standings.now();
    change("sess_1", "second");
    for (let index = 0; index < 1000; index += 1) {
      const other = standings.now();
      change("sess_1", `state ${index}`);
      other.release();
    }
    expect(paused.of("sess_1")?.state).toBe("first");
    expect(standings.keptCount()).toBeLessThan(10);
    paused.release();
    expect(standings.keptCount()).toBe(0);
  });

  it("where nobody is to be told anything, a change costs nothing", () => {
    const { standings, change, summedCount } = stage();
    for (const state of ["a", "b", "c"]) change("sess_1", state);
    standings.now().release();
    change("sess_1", "d");
    expect([summedCount(), standings.keptCount()]).toEqual([0, 0]);
  });
});
