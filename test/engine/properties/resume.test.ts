// R17, R27, R28: a client that comes back gets the rest, or is told what is lost.
import fc from "fast-check";
import { describe, it } from "vitest";
import { expectNoFaults, publishedIn } from "../../support/oracles/delivery-facts.js";
import { resumeFaults } from "../../support/oracles/return-oracle.js";
import {
  CASES,
  type Operation,
  plans,
  publishOperation,
  steadyTerms,
  transportOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

const comings: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ op: fc.constant("leave" as const), l: fc.nat({ max: 1 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("join" as const),
      l: fc.nat({ max: 1 }),
      terms: steadyTerms,
      resume: fc.record({ before: fc.constantFrom(0, 0, 1, 3) }),
      lost: fc.constantFrom(0, 0, 0, 1, 2, 5),
    }),
  },
);

const operation = fc.oneof(
  { weight: 12, arbitrary: publishOperation },
  { weight: 2, arbitrary: comings },
  { weight: 1, arbitrary: transportOperation },
);

describe("resuming", () => {
  it("R17: what a client has, with what comes after any place that it was told, is everything", () => {
    fc.assert(
      fc.property(plans(operation, { seats: steadyTerms }), (plan) => {
        const world = live(plan);
        expectNoFaults(...resumeFaults(world, publishedIn(world.entries)));
      }),
      { numRuns: CASES },
    );
  });

  it("R27: where the journal is short, what is missing is declared", () => {
    fc.assert(
      fc.property(plans(operation, { seats: steadyTerms, journal: [6, 12, 24], most: 60 }), (plan) => {
        const world = live(plan);
        expectNoFaults(...resumeFaults(world, publishedIn(world.entries)));
      }),
      { numRuns: CASES },
    );
  });
});
