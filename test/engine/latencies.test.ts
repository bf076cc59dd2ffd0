// The latencies that the engine measures: of publishes until they are accepted, of events until a transport has them.
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { LATENCY_BOUNDS_MS, type LatencyCounts } from "../../src/engine/time/latency-histogram.js";
import { createEngineRig, type EngineRig, session } from "../support/rigs/engine-rig.js";

/** Counts by upper bound, ms, without the empty buckets. */
function byBound({ buckets }: LatencyCounts): Readonly<Record<string, number>> {
  return Object.fromEntries(
    buckets.flatMap((count, index) =>
      count === 0 ? [] : [[String(LATENCY_BOUNDS_MS[index] ?? "more"), count] as const],
    ),
  );
}

const delivered = (rig: EngineRig, pace: "limited" | "unlimited") =>
  byBound(rig.engine.report().latencies.delivery[pace]);

describe("deliveries", () => {
  it("each event counts with the time from its publication until it was handed over", () => {
    const rig = createEngineRig();
    const listener = rig.listen();
    const one = session();
    rig.publish(one.started());
    expect(delivered(rig, "unlimited")).toStrictEqual({ 0.1: 1 });
    listener.block(true);
    rig.publish(one.invoked("search", "call_1"));
    rig.advance(40);
    rig.publish(one.invoked("search", "call_2"));
    listener.block(false);
    // Both leave together, and the batch counts with its oldest event.
    expect(delivered(rig, "unlimited")).toStrictEqual({ 0.1: 1, 50: 2 });
    expect(delivered(rig, "limited")).toStrictEqual({});
    const { counts } = rig.engine.report().subscriptions[0] ?? expect.fail();
    expect(counts.delivered).toBe(3);
    expect(rig.engine.report().latencies.delivery.unlimited.sumMs).toBe(80);
  });

  it.each([
    ["a rate", { maxEventsPerSecond: 1 }],
    ["a pace of speech", { paceWpm: 100 }],
    ["a pause", { paused: true }],
  ])("what %s of the terms holds back counts apart", (_, terms) => {
    const rig = createEngineRig();
    rig.listen(terms);
    const one = session();
    rig.publish(one.started(), one.invoked("search", "call_1"), one.chunk("One two three four. "), one.chunk("Five. "));
    rig.publish({ ...one.errored() });
    rig.advance(60_000);
    const { limited } = rig.engine.report().latencies.delivery;
    expect(limited.buckets.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(delivered(rig, "unlimited")).toStrictEqual({});
  });
});

describe("publishes", () => {
  it("each counts once, however many events it has, also one that was published before; one that is refused does not", () => {
    const rig = createEngineRig();
    const one = session();
    const started = { ...one.started(), event_id: "evt_known" };
    rig.publish(started, one.invoked("search", "call_1"));
    expect(() => rig.publish(session("sess_unknown").invoked("search", "call_1"))).toThrow(Fault);
    rig.publish(started);
    expect(byBound(rig.engine.report().latencies.publish)).toStrictEqual({ 0.1: 2 });
  });

  it("R29: each counts with the time until its group is as safe as the policy makes it; a group that fails does not", async () => {
    const groups: { readonly settle: (fault?: Fault) => void }[] = [];
    let group: Promise<void> | undefined;
    const begin = (): void => {
      group = new Promise((resolve, reject) => {
        groups.push({ settle: (fault) => (fault === undefined ? resolve() : reject(fault)) });
      });
    };
    const rig = createEngineRig({
      around: (journal) => ({ append: (events) => ({ ...journal.append(events), durable: group }) }),
    });
    const one = session();
    begin();
    rig.publish(one.started());
    rig.advance(30);
    rig.publish(one.invoked("search", "call_1"));
    rig.advance(4);
    expect(byBound(rig.engine.report().latencies.publish)).toStrictEqual({});
    groups[0]?.settle();
    await group;
    expect(byBound(rig.engine.report().latencies.publish)).toStrictEqual({ 5: 1, 50: 1 });

    begin();
    rig.publish(one.invoked("search", "call_2"));
    groups[1]?.settle(new Fault("storage_unavailable", "The disk is full."));
    await expect(group).rejects.toThrow("The disk is full.");
    expect(byBound(rig.engine.report().latencies.publish)).toStrictEqual({ 5: 1, 50: 1 });
  });
});
