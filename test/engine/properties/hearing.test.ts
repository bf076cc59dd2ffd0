// What each subscription hears, whatever agents say, however peers take it, and whoever comes, goes or changes: each row of the table is a kind of life.
import fc from "fast-check";
import { describe, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { casesOf, isWhole } from "../../support/extent.js";
import { expectNoFaults } from "../../support/oracles/delivery-facts.js";
import { hearingFaults } from "../../support/oracles/hearing-oracle.js";
import {
  CASES,
  type Operation,
  openTerms,
  type Plan,
  plans,
  publishOperation,
  steadyTerms,
  transportOperation,
  urgentOperation,
} from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";

type Weighted = readonly [weight: number, arbitrary: fc.Arbitrary<Operation>];

const mixed = (...parts: readonly Weighted[]): fc.Arbitrary<Operation> =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const op = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);
const l = fc.nat({ max: 1 });
const paused = fc.record({ paused: fc.boolean() });

const retune = (terms: fc.Arbitrary<Partial<Terms>>, who: fc.Arbitrary<number> = l): fc.Arbitrary<Operation> =>
  fc.record({ op: op("retune"), l: who, terms });
const leave: fc.Arbitrary<Operation> = fc.record({ op: op("leave"), l });
const skipAll: fc.Arbitrary<Operation> = fc.record({ op: op("skipAll"), l });
const skip: fc.Arbitrary<Operation> = fc.record({ op: op("skip"), l, s: fc.nat({ max: 1 }), o: fc.nat({ max: 3 }) });
const reply = (who: fc.Arbitrary<number> = l): fc.Arbitrary<Operation> =>
  fc.record({ op: op("reply"), l: who, accept: fc.boolean() });
const newcomer = (terms: fc.Arbitrary<Partial<Terms>>, who: fc.Arbitrary<number> = l): fc.Arbitrary<Operation> =>
  fc.record({ op: op("join"), l: who, terms, resume: op("none"), lost: fc.constant(0) });
/** Comes back to the last place that it was told, or to one before, where the last events did not arrive. */
const comeBack = (terms: fc.Arbitrary<Partial<Terms>>): fc.Arbitrary<Operation> =>
  fc.record({
    op: op("join"),
    l,
    terms,
    resume: fc.record({ before: fc.constantFrom(0, 0, 1, 3) }),
    lost: fc.constantFrom(0, 0, 0, 1, 2, 5),
  });

const slow = openTerms.map((terms) => ({ ...terms, maxEventsPerSecond: 1, paceWpm: undefined }));
const limited = openTerms.chain((terms) =>
  fc.constantFrom(undefined, 1, 1, 2, 20).map((maxEventsPerSecond) => ({ ...terms, maxEventsPerSecond })),
);
const busy = mixed([8, publishOperation], [2, urgentOperation], [2, transportOperation]);
const rates = fc.record({ maxEventsPerSecond: fc.constantFrom(undefined, 1, 2, 5, 20) });
const replies = fc.record({ supportsConfirmationReply: fc.boolean(), supportsClarificationReply: fc.boolean() });
const answering = fc.record({
  supportsConfirmationReply: fc.boolean(),
  supportsClarificationReply: fc.boolean(),
  maxEventsPerSecond: fc.constantFrom(undefined, 1),
});
const returns = mixed([12, publishOperation], [1, leave], [3, comeBack(steadyTerms)], [1, transportOperation]);

/** Of each kind, of which there are twelve. */
const LIVES_OF_EACH = isWhole ? casesOf(300) : CASES;

const SEATS = 8;
const seat = fc.nat({ max: SEATS - 1 });

/** As three agents say it, with nine outputs. */
const ofThreeAgents = fc
  .tuple(mixed([9, publishOperation], [1, urgentOperation]), fc.nat({ max: 2 }))
  .map(([operation, a]): Operation => {
    if (operation.op === "chunk") return { ...operation, a, o: operation.o % 3 };
    return "a" in operation ? { ...operation, a } : operation;
  });
const changed = mixed(
  [4, retune(openTerms, seat)],
  [3, retune(fc.oneof(paused, replies), seat)],
  [2, fc.record({ op: op("block"), l: seat, on: fc.boolean() })],
  [1, reply(seat)],
  [1, newcomer(openTerms, seat)],
);
const eightListeners = fc
  .tuple(
    plans(mixed([5, ofThreeAgents], [2, changed]), { most: 60 }),
    fc.array(openTerms, { minLength: SEATS, maxLength: SEATS }),
  )
  .map(([plan, seats]) => ({ ...plan, seats, agentCount: 3 }));

const LIVES: readonly (readonly [what: string, plans: fc.Arbitrary<Plan>])[] = [
  ["R10, R11, R30: for every set of terms", plans(publishOperation)],
  ["R10, R18: where a peer takes nothing now and then", plans(mixed([9, publishOperation], [2, transportOperation]))],
  [
    "R9, R10: at one event a second, where nearly everything must merge",
    plans(mixed([12, publishOperation], [1, transportOperation]), { seats: slow, most: 60 }),
  ],
  ["R4: where much is critical", plans(busy, { seats: limited })],
  [
    "R9, R26: where rates change, and pauses come and go",
    plans(mixed([12, busy], [1, retune(rates)], [1, retune(paused)]), { seats: limited }),
  ],
  [
    "AAEP §5.7, R32: where terms change at any moment",
    plans(mixed([12, publishOperation], [2, retune(steadyTerms)], [1, retune(paused)], [1, transportOperation]), {
      seats: steadyTerms,
    }),
  ],
  ["AAEP §4.2.1, §4.5: of three agents, for eight who come and change", eightListeners],
  [
    "R26: where texts, or everything, are skipped",
    plans(mixed([12, publishOperation], [2, skip], [1, skipAll], [1, retune(paused)], [1, transportOperation])),
  ],
  ["R12, R17: where listeners come back to any place that they were told", plans(returns, { seats: steadyTerms })],
  [
    "R9, R17, R26, R32: where they come back on other terms, from pauses, skips and changes",
    plans(
      mixed(
        [12, publishOperation],
        [1, leave],
        [3, comeBack(openTerms)],
        [1, retune(steadyTerms)],
        [1, retune(paused)],
        [1, skip],
        [1, transportOperation],
      ),
      { seats: openTerms },
    ),
  ],
  ["R27: where the journal is short", plans(returns, { seats: steadyTerms, journal: [6, 12, 24], most: 60 })],
  [
    "R6, R7, R28: where those who can answer come, go and change",
    plans(
      mixed(
        [6, publishOperation],
        [3, urgentOperation],
        [2, retune(answering)],
        [1, leave],
        [1, newcomer(answering)],
        [1, comeBack(answering)],
        [1, skipAll],
        [1, transportOperation],
        [1, reply()],
      ),
      { seats: answering, journal: [65_536, 8] },
    ),
  ],
];

describe("what each subscription hears is what was published for it", () => {
  it.each(LIVES)("%s", (_, lives) => {
    fc.assert(
      fc.property(lives, (plan) => expectNoFaults(...hearingFaults(live(plan)))),
      { numRuns: lives === eightListeners ? casesOf(100) : LIVES_OF_EACH },
    );
  });
});
