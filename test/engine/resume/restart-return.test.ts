// Subscribers that come back with what they had named before: nothing of what they were sent in between has arrived (R17, P6).
import { describe, expect, it } from "vitest";
import type { Listener } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";
import { createRuns, type Run } from "../../support/rigs/restart-rig.js";
import { afterId, begin, ids, lastId, note, S } from "../../support/rigs/restart-session.js";

describe("what a subscriber names a second time", () => {
  it("R17: is where it was the first time, though the event was published again after a kill, and over the next restarts", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const listener = first.listen();
    first.publish(note("one"));
    first.advance(1000);
    await first.flush();
    first.publish(note("two"));
    expect(lastId(listener)).toBe("evt_two");
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(note("between"), note("two"), note("three"));
    const owed = ["evt_between", "evt_two", "evt_three"];
    for (const what of ["it is read to", "none of that arrived", "nor of that"]) {
      const back = second.listen({}, "listener", afterId("evt_two"));
      expect(ids(back.received), what).toEqual(owed);
      second.advance(1000);
      await second.flush();
      back.subscription.close();
    }
    for (const run of [runs.start(), runs.start()]) {
      run.advance(1000);
      const eventIds = new Map([[S, "evt_two"]]);
      expect(ids(run.listen({}, "listener", { kind: "sessions", eventIds }).received)).toEqual(owed);
      expect(ids(run.listen({}, "listener", afterId("evt_two")).received)).toEqual(owed);
      await run.flush();
    }
    // What it names next has come since, and stands where it stands.
    expect(ids(runs.start().listen({}, "listener", afterId("evt_between")).received)).toContain("evt_three");
  });

  it("R17: is where it was the first time, though it overtook others then and was sent again behind them", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    const slow = first.listen({ ...ABLE, maxEventsPerSecond: 1 }, "slow");
    for (let index = 0; index < 8; index += 1) first.publish(note(`n${index}`));
    first.publish(confirmation("rpl_1"));
    const named = afterId(lastId(slow));
    const got = ids(slow.received);
    expect(got).not.toContain("evt_n7");
    slow.subscription.close();
    const isComplete = (back: Listener): boolean => {
      const all = new Set([...got, ...ids(back.received)]);
      return Array.from({ length: 8 }, (_, index) => all.has(`evt_n${index}`)).every((isThere) => isThere);
    };
    for (let time = 0; time < 3; time += 1) {
      const back = first.listen(ABLE, "slow", named);
      expect(isComplete(back)).toBe(true);
      first.advance(1000);
      await first.flush();
      back.subscription.close();
    }
    const second = runs.start();
    second.agent.resumeSession(S, token);
    expect(isComplete(second.listen(ABLE, "slow", named))).toBe(true);
  });

  it("is remembered of a thousand subscribers, of those who came back last, and 256 events of each", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    for (let number = 0; number < 1100; number += 1)
      first.listen({}, `listener ${number}`, afterId("evt_never_written")).subscription.close();
    first.publish(note("one"));
    await first.flush();
    expect(runs.disk.state("return").size).toBe(0);
    const second = runs.start();
    for (let number = 0; number < 1100; number += 1)
      second.listen({}, `listener ${number}`, afterId("evt_never_written")).subscription.close();
    for (let number = 0; number < 300; number += 1)
      second.listen({}, "listener 1099", afterId(`evt_never_written${number}`)).subscription.close();
    await second.flush();
    const kept = [...runs.disk.state("return").values()] as (readonly unknown[])[];
    expect(kept).toHaveLength(1000);
    expect(Math.max(...kept.map(({ length }) => length))).toBe(1 + 2 * 256);
  });
});

describe("an event that overtook many others", () => {
  it("R17: is a place before all of those, however many of them were sent behind it and lost, over the next restarts as well", async () => {
    const count = 60;
    const names = Array.from({ length: count }, (_, index) => `n${index}`);
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const slow = first.listen({ ...ABLE, maxEventsPerSecond: 1 }, "slow");
    first.publish(...names.map((name) => note(name)));
    first.publish(confirmation("rpl_1", { timeout_seconds: 600 }));
    const named = afterId(lastId(slow));
    const got = ids(slow.received);
    expect(got.length).toBeLessThan(count / 2);
    first.advance((count + 10) * 1000);
    slow.subscription.close();
    await first.flush();
    expect(ids(slow.received)).toEqual(expect.arrayContaining(names.map((name) => `evt_${name}`)));
    const missing = (run: Run): readonly string[] => {
      const back = run.listen(ABLE, "slow", named);
      const all = new Set([...got, ...ids(back.received)]);
      back.subscription.close();
      return names.filter((name) => !all.has(`evt_${name}`));
    };
    const second = runs.start();
    await second.flush();
    for (const run of [second, runs.start()]) expect(missing(run)).toEqual([]);
  });
});
