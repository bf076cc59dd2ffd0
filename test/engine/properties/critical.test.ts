// R4, R9: what is urgent passes everything, and everything else pays.
import fc from "fast-check";
import { describe, it } from "vitest";
import { expectNoFaults, publishedIn } from "../../support/oracles/delivery-facts.js";
import { criticalFaults, rateFaults } from "../../support/oracles/event-oracle.js";
import {
  CASES,
  type Operation,
  openTerms,
  plans,
  publishOperation,
  transportOperation,
  urgentOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

const limited = openTerms.chain((terms) =>
  fc.constantFrom(undefined, 1, 1, 2, 20).map((maxEventsPerSecond) => ({ ...terms, maxEventsPerSecond })),
);
const busy = fc.oneof(
  { weight: 8, arbitrary: publishOperation },
  { weight: 2, arbitrary: urgentOperation },
  { weight: 2, arbitrary: transportOperation },
);

describe("urgency and rate", () => {
  it("R4: critical events go in their turn or first of all, and say what they left behind", () => {
    fc.assert(
      fc.property(plans(busy, { seats: limited }), (plan) => {
        const world = live(plan);
        const published = publishedIn(world.entries);
        for (const connection of world.connections) expectNoFaults(...criticalFaults(world, connection, published));
      }),
      { numRuns: CASES },
    );
  });

  it("R9: no window holds more than rate × time + burst, also across renegotiations", () => {
    const retune: fc.Arbitrary<Operation> = fc.record({
      op: fc.constant("retune" as const),
      l: fc.nat({ max: 1 }),
      terms: fc.oneof(
        fc.record({ maxEventsPerSecond: fc.constantFrom(undefined, 1, 2, 5, 20) }),
        fc.record({ paused: fc.boolean() }),
      ),
    });
    const operation = fc.oneof({ weight: 12, arbitrary: busy }, { weight: 2, arbitrary: retune });
    fc.assert(
      fc.property(plans(operation, { seats: limited }), (plan) => {
        const world = live(plan);
        for (const connection of world.connections) expectNoFaults(...rateFaults(connection));
      }),
      { numRuns: CASES },
    );
  });
});
