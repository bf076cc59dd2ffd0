import { describe, expect, it } from "vitest";
import type { SubscriptionReport } from "../../src/engine/engine-status.js";
import { createEngineRig, type EngineRig, session } from "../support/rigs/engine-rig.js";

const only = (rig: EngineRig): SubscriptionReport => {
  const [one, ...others] = rig.engine.report().subscriptions;
  if (one === undefined || others.length > 0) throw new Error("there is not one subscription");
  return one;
};

/** Falls behind after 16 units that nobody takes. */
const narrow = (maxMs = 30_000): EngineRig =>
  createEngineRig({
    engine: { viewWindowCount: 16, queueLimitCount: 4, lag: { maxMs, maxEvents: 1_000_000 } },
  });

const calls = (rig: EngineRig, from: number, count: number): void => {
  for (let call = from; call < from + count; call += 1) {
    const id = `call_${call >> 1}`;
    rig.publish(call % 2 === 0 ? session().invoked("search", id) : session().toolDone("search", id));
  }
};

describe("how the engine stands", () => {
  it("tells sessions, and until when an agent that went away may come back (R8)", () => {
    const rig = createEngineRig();
    rig.listen();
    rig.publish(session().started(), session().invoked("search", "call_1"), session().chunk("Text"));
    rig.advance(1000);
    rig.agent.close();
    expect([...rig.engine.report().sessions]).toMatchObject([
      {
        sessionId: "sess_1",
        producer: { agent_id: "test-agent" },
        state: "writing_output",
        eventCount: 3,
        openTools: [expect.objectContaining({ tool: "search", toolCallId: "call_1", since: expect.any(String) })],
        toolsForMs: [1000],
        askedForMs: undefined,
        openOutputs: [{ position: 4 }],
        openQuestions: [],
        isAgentConnected: false,
        graceUntil: rig.clock.wallTime() + 5000,
      },
    ]);
    rig.advance(5000);
    expect([...rig.engine.report().sessions]).toEqual([]);
  });

  it("tells what is asked, shortened, until when, who could answer and who was asked", () => {
    const rig = createEngineRig();
    rig.listen({ supportsConfirmationReply: true }, "able");
    rig.listen({ supportsConfirmationReply: true }, "able but away").block(true);
    rig.listen({}, "unable");
    const action = "Delete all of it. ".repeat(40);
    rig.publish(session().started(), session().confirmation("rpl_1", { action }));
    const [question] = rig.engine.report().questions;
    expect(question).toMatchObject({ sessionId: "sess_1", kind: "confirmation", ableCount: 2, shownCount: 1 });
    expect(question?.asked).toMatch(/^Delete all of it\. .*…$/);
    expect(question?.asked.length).toBeLessThanOrEqual(200);
    expect(question?.askedAt).toBe(rig.clock.wallTime());
    expect(question?.deadline).toBe(rig.clock.wallTime() + 60_000);
  });

  it("tells rates over ten seconds, and totals that subscriptions which ended are part of", () => {
    const rig = createEngineRig();
    const one = rig.listen({ coalesceBoundaries: ["none"] }, "one");
    rig.listen({ coalesceBoundaries: ["none"] }, "two");
    rig.publish(session().started());
    for (let second = 0; second < 10; second += 1) {
      rig.publish(session().chunk("a"), session().chunk("b"));
      rig.advance(1000);
    }
    const before = rig.engine.report();
    expect(before.publishedPerSecond).toBeCloseTo(2.1);
    expect(before.deliveredPerSecond).toBeCloseTo(4.2);
    expect(before.publishedTotal).toBe(21);
    one.subscription.close();
    const after = rig.engine.report();
    expect(after.totals.delivered).toBe(42);
    expect(after.subscriptions.map(({ subscriberId, counts }) => [subscriberId, counts.delivered])).toEqual([
      ["two", 21],
    ]);
    expect([...after.closures]).toEqual([["subscriber", 1]]);
  });
});

describe("slow subscribers", () => {
  it("falling behind counts once an episode, whatever terms change meanwhile, and is over when all was read", () => {
    const rig = narrow();
    const slow = rig.listen();
    rig.publish(session().started());
    slow.block(true);
    calls(rig, 0, 40);
    const since = rig.clock.wallTime();
    expect(only(rig)).toMatchObject({ reads: "journal", behindSince: since, counts: { fellBehind: 1 } });
    rig.advance(1000);
    calls(rig, 40, 100);
    slow.subscription.retune({ ...slow.subscription.terms, preferredVerbosity: "terse" });
    calls(rig, 140, 100);
    expect(only(rig)).toMatchObject({ reads: "journal", behindSince: since, counts: { fellBehind: 1 } });
    slow.block(false);
    expect(only(rig)).toMatchObject({ reads: "live", behindSince: undefined, counts: { fellBehind: 1, gaps: 0 } });
    expect(slow.received).toHaveLength(241);
    // Another time is another episode.
    slow.block(true);
    calls(rig, 240, 40);
    expect(only(rig)).toMatchObject({ counts: { fellBehind: 2 } });
    slow.block(false);
    expect(rig.engine.report().totals.fellBehind).toBe(2);
  });

  it("the time in which nothing is taken begins anew when the peer takes, however little", () => {
    const rig = narrow(30_000);
    const slow = rig.listen({ coalesceBoundaries: ["none"] });
    rig.publish(session().started());
    for (let round = 0; round < 5; round += 1) {
      slow.block(true);
      rig.publish(session().chunk("a"));
      rig.advance(29_999);
      expect(only(rig).lag).toEqual({ ms: 29_999, eventCount: 1 });
      slow.block(false);
      expect(only(rig).lag).toEqual({ ms: 0, eventCount: 0 });
    }
    expect(slow.ended).toEqual([]);
    slow.block(true);
    rig.advance(30_000);
    expect(slow.ended).toEqual(["lagging"]);
  });
});
