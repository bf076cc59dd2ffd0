// R10, R11, R30: whatever agents say and however slowly peers take it, each subscription gets the text, the events and the order it is owed.
import fc from "fast-check";
import { describe, it } from "vitest";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { eventFaults } from "../../support/oracles/event-oracle.js";
import { chunkFaults, clusterFaults, orderFaults, textFaults, timeFaults } from "../../support/oracles/text-oracle.js";
import {
  CASES,
  openTerms,
  type Plan,
  plans,
  publishOperation,
  transportOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

function judge(plan: Plan): void {
  const world = live(plan);
  const published = publishedIn(world.entries);
  for (const connection of world.connections) {
    const judged = judgedOf(world, connection, published);
    expectNoFaults(
      ...textFaults(judged),
      ...eventFaults(judged),
      ...orderFaults(judged),
      ...timeFaults(judged),
      ...chunkFaults(judged),
      ...clusterFaults(judged),
    );
  }
}

describe("what a subscription is given", () => {
  it("R10, R11, R30: is the published text, the published events and their order, for every set of terms", () => {
    fc.assert(fc.property(plans(publishOperation), judge), { numRuns: CASES });
  });

  it("R10, R18: is the same for a peer that takes nothing now and then, with small windows and queues", () => {
    const operation = fc.oneof(
      { weight: 9, arbitrary: publishOperation },
      { weight: 2, arbitrary: transportOperation },
    );
    fc.assert(fc.property(plans(operation), judge), { numRuns: CASES });
  });

  it("R9, R10: is the same at one event a second, where nearly everything must merge", () => {
    const slow = openTerms.map((terms) => ({ ...terms, maxEventsPerSecond: 1, paceWpm: undefined }));
    const operation = fc.oneof(
      { weight: 12, arbitrary: publishOperation },
      { weight: 1, arbitrary: transportOperation },
    );
    fc.assert(fc.property(plans(operation, { seats: slow, most: 60 }), judge), { numRuns: CASES });
  });
});
