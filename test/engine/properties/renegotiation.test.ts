// AAEP §5.7, R26: terms may change at any moment; nothing is lost or told twice for it, and nothing leaves by old terms.
import fc from "fast-check";
import { describe, it } from "vitest";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { criticalFaults, eventFaults, rateFaults } from "../../support/oracles/event-oracle.js";
import { eraFaults, orderFaults, textFaults } from "../../support/oracles/text-oracle.js";
import {
  CASES,
  type Operation,
  plans,
  publishOperation,
  steadyTerms,
  transportOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

const retune: fc.Arbitrary<Operation> = fc.record({
  op: fc.constant("retune" as const),
  l: fc.nat({ max: 1 }),
  terms: fc.oneof({ weight: 3, arbitrary: steadyTerms }, { weight: 1, arbitrary: fc.record({ paused: fc.boolean() }) }),
});

describe("renegotiation", () => {
  it("R10, R18, R26: loses nothing, repeats nothing and keeps each era's terms", () => {
    const operation = fc.oneof(
      { weight: 12, arbitrary: publishOperation },
      { weight: 2, arbitrary: retune },
      { weight: 1, arbitrary: transportOperation },
    );
    fc.assert(
      fc.property(plans(operation, { seats: steadyTerms }), (plan) => {
        const world = live(plan);
        const published = publishedIn(world.entries);
        for (const connection of world.connections) {
          const judged = judgedOf(world, connection, published);
          expectNoFaults(
            ...textFaults(judged),
            ...eventFaults(judged),
            ...eraFaults(connection),
            ...rateFaults(connection),
            ...criticalFaults(world, connection, published),
          );
          const isAlike = connection.eras.every(
            ({ terms }) => !terms.coalesceBoundaries.every((one) => one === "completion"),
          );
          if (isAlike) expectNoFaults(...orderFaults(judged));
        }
      }),
      { numRuns: CASES },
    );
  });
});
