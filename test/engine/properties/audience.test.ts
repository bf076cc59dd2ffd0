// R6, R7, R28: each question is asked of those who can answer it, once, whoever comes, goes or changes.
import fc from "fast-check";
import { describe, it } from "vitest";
import { audienceFaults } from "../../support/oracles/audience-oracle.js";
import { expectNoFaults } from "../../support/oracles/delivery-facts.js";
import {
  CASES,
  type Operation,
  plans,
  publishOperation,
  transportOperation,
  urgentOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

const hearing = fc.record({
  supportsConfirmationReply: fc.boolean(),
  supportsClarificationReply: fc.boolean(),
  maxEventsPerSecond: fc.constantFrom(undefined, 1),
});

const changes: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant("retune" as const), l: fc.nat({ max: 2 }), terms: hearing }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("leave" as const), l: fc.nat({ max: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("join" as const),
      l: fc.nat({ max: 2 }),
      terms: hearing,
      resume: fc.constantFrom("none" as const, { before: 0 }, { before: 1 }),
      lost: fc.nat({ max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("skipAll" as const), l: fc.nat({ max: 2 }) }) },
);

describe("questions", () => {
  it("R6, R28: reach everyone who can answer while they are open, once a subscription, and nobody else", () => {
    const operation = fc.oneof(
      { weight: 6, arbitrary: publishOperation },
      { weight: 3, arbitrary: urgentOperation },
      { weight: 3, arbitrary: changes },
      { weight: 1, arbitrary: transportOperation },
      {
        weight: 1,
        arbitrary: fc.record({ op: fc.constant("reply" as const), l: fc.nat({ max: 2 }), accept: fc.boolean() }),
      },
    );
    fc.assert(
      fc.property(plans(operation, { seats: hearing, journal: [65_536, 8] }), (plan) => {
        expectNoFaults(...audienceFaults(live(plan)));
      }),
      { numRuns: CASES },
    );
  });
});
