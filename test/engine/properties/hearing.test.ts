// AAEP ch. 3, §4.2.1, §4.5, R4, R10, R30: what eight subscriptions hear of three agents with nine outputs, while everybody's terms change, pauses come and
// go, peers take nothing, and others join.
import fc from "fast-check";
import { describe, it } from "vitest";
import { casesOf } from "../../support/extent.js";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { rateFaults } from "../../support/oracles/event-oracle.js";
import { chainFaults, countFaults, hintFaults, overtakingFaults } from "../../support/oracles/hearing-oracle.js";
import { envelopeFaults, sequenceFaults } from "../../support/oracles/sequence-oracle.js";
import { eraFaults, textFaults, timeFaults } from "../../support/oracles/text-oracle.js";
import {
  type Operation,
  openTerms,
  plans,
  publishOperation,
  urgentOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

/** Each case has eight subscriptions: 100 in a whole run. */
const CASES = casesOf(100);
const SEATS = 8;

const seat = fc.nat({ max: SEATS - 1 });

const spoken = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: publishOperation }, { weight: 1, arbitrary: urgentOperation }),
    fc.nat({ max: 2 }),
  )
  .map(([operation, a]): Operation => {
    if (operation.op === "chunk") return { ...operation, a, o: operation.o % 3 };
    return "a" in operation ? { ...operation, a } : operation;
  });

const changed: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("retune" as const), l: seat, terms: openTerms }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("retune" as const),
      l: seat,
      terms: fc.oneof(
        fc.record({ paused: fc.boolean() }),
        fc.record({ supportsConfirmationReply: fc.boolean(), supportsClarificationReply: fc.boolean() }),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("block" as const), l: seat, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("reply" as const), l: seat, accept: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("join" as const),
      l: seat,
      terms: openTerms,
      resume: fc.constant("none" as const),
      lost: fc.constant(0),
    }),
  },
);

const operation = fc.oneof({ weight: 5, arbitrary: spoken }, { weight: 2, arbitrary: changed });

const worlds = fc
  .tuple(plans(operation, { most: 60 }), fc.array(openTerms, { minLength: SEATS, maxLength: SEATS }))
  .map(([plan, seats]) => ({ ...plan, seats, agentCount: 3 }));

describe("what each subscription hears", () => {
  it("AAEP ch. 3, §4.5, R4, R10, R30: instants never fall, chains of states are whole, outputs end once, hints and counts are true", () => {
    fc.assert(
      fc.property(worlds, (plan) => {
        const world = live(plan);
        const published = publishedIn(world.entries);
        for (const connection of world.connections) {
          const judged = judgedOf(world, connection, published);
          expectNoFaults(
            ...textFaults(judged),
            ...eraFaults(connection),
            ...rateFaults(connection),
            ...timeFaults(judged),
            ...chainFaults(world, connection, published),
            ...hintFaults(connection),
            ...overtakingFaults(world, connection, published),
            ...countFaults(world, connection, published),
            ...envelopeFaults(connection),
            ...sequenceFaults(world, connection, published),
          );
        }
      }),
      { numRuns: CASES },
    );
  });
});
