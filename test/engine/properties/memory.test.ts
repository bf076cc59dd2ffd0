// R18: however little a peer takes, what is kept for it is bounded by options, and nothing is lost.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNoFaults, laneOf } from "../../support/oracles/delivery-facts.js";
import { lossFaults } from "../../support/oracles/hearing-oracle.js";
import { CASES, type Operation, openTerms, plans, publishOperation } from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

/** Enough text that what nobody holds is let go of, over and over. */
const long: fc.Arbitrary<Operation> = fc.record({
  op: fc.constant("chunk" as const),
  s: fc.constant(0),
  a: fc.nat({ max: 1 }),
  o: fc.constant(0),
  text: fc.constantFrom(
    "A sentence of some length. ".repeat(30),
    "日本語の文。".repeat(80),
    "word ".repeat(150),
    "x".repeat(900),
  ),
});

describe("memory", () => {
  it("R18: queues, views, readers and what is remembered stay within their limits", () => {
    const operation = fc.oneof(
      { weight: 8, arbitrary: publishOperation },
      { weight: 4, arbitrary: long },
      {
        weight: 1,
        arbitrary: fc.record({
          op: fc.constant("block" as const),
          l: fc.nat({ max: 1 }),
          on: fc.constantFrom(true, true, false),
        }),
      },
    );
    fc.assert(
      fc.property(plans(operation, { seats: openTerms, most: 30 }), (plan) => {
        const world = live(plan);
        const { peaks } = world;
        const sessions = new Set(world.entries.map(({ event }) => event.session_id)).size;
        const agents = new Set(world.entries.map(({ event }) => laneOf(event))).size;
        // One entry may release many units (R34), and views are looked at between entries.
        expect(peaks.waiting).toBeLessThanOrEqual(plan.queueLimitCount + sessions + 256);
        expect(peaks.keptPerView).toBeLessThanOrEqual(plan.viewWindowCount * 1.25 + 64);
        expect(peaks.readAhead).toBeLessThanOrEqual(256 * 12);
        expect(peaks.remembered).toBeLessThanOrEqual(world.entries.length);
        expectNoFaults(...lossFaults(world));
        for (const connection of world.connections) {
          // In the end nothing is kept for those who have everything, but a state that the end of its session overtook.
          const { waitingCount, readAheadCount, rememberedCount } = connection.listener.subscription.status();
          expect([waitingCount, readAheadCount]).toEqual([0, 0]);
          expect(rememberedCount).toBeLessThanOrEqual(agents);
        }
      }),
      { numRuns: CASES },
    );
  });
});
