// R6, R15, R31, R32: who gets what.
import fc from "fast-check";
import { describe, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { hearingFaults } from "../../support/oracles/hearing-oracle.js";
import { unmergedFaults } from "../../support/oracles/merging-oracle.js";
import { CASES, type Operation, plans, publishOperation } from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

const patterns = fc.subarray([
  "aaep:agent.*",
  "aaep:agent.output.*",
  "aaep:agent.state.changed",
  "aaep:agent.tool.*",
  "aaep:agent.session.*",
  "aaep:agent.progress.updated",
  "example:*",
]);

const picky: fc.Arbitrary<Partial<Terms>> = fc.record({
  eventFilters: fc.record({ include: patterns, exclude: fc.oneof(fc.constant([]), patterns) }),
  cognitiveLoad: fc.constantFrom("low", "medium", "high"),
  supportsConfirmationReply: fc.boolean(),
  supportsClarificationReply: fc.boolean(),
  coalesceBoundaries: fc.constantFrom<Terms["coalesceBoundaries"][]>(["sentence", "completion"], ["none"]),
});

describe("tailoring", () => {
  it("R6, R15, R31, R32: an unlimited subscription gets exactly what its terms let through, in order, from when it came", () => {
    const join: fc.Arbitrary<Operation> = fc.record({
      op: fc.constant("join" as const),
      l: fc.nat({ max: 1 }),
      terms: picky,
      resume: fc.constant("none" as const),
      lost: fc.constant(0),
    });
    const operation = fc.oneof({ weight: 15, arbitrary: publishOperation }, { weight: 1, arbitrary: join });
    fc.assert(
      fc.property(plans(operation, { seats: picky }), (plan) => {
        // In a small window a burst of one turn is a backlog already, and what is urgent overtakes it.
        const world = live({ ...plan, viewWindowCount: 1024, turns: undefined });
        const published = publishedIn(world.entries);
        for (const connection of world.connections)
          expectNoFaults(...unmergedFaults(judgedOf(world, connection, published)));
        expectNoFaults(...hearingFaults(world));
      }),
      { numRuns: CASES },
    );
  });
});
