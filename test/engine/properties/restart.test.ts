// R3, R5, R8, R17, R29: whatever is said, answered and lost on the way, and whenever the daemon is killed.
import fc from "fast-check";
import { describe, it } from "vitest";
import { casesOf } from "../../support/extent.js";
import { expectNoFaults } from "../../support/oracles/delivery-facts.js";
import { restartFaults, SEAT_COUNT, type Step } from "../../support/rigs/restart-history.js";

const s = fc.nat({ max: 1 });
const l = fc.nat({ max: SEAT_COUNT - 1 });
const lost = fc.constantFrom(0, 0, 0, 1, 4, 1000);
const absent = fc.subarray(Array.from({ length: SEAT_COUNT }, (_, index) => index));
const of = <Op extends string>(...ops: Op[]) => fc.constantFrom(...ops);

const TEXTS = ["One. ", "and half", " of another. ", "Ωμέγα 😀. ", "\ud83d", "\ude00 ", "```\n", "a\nb\n", ""];
const chunk: fc.Arbitrary<Step> = fc.record({
  op: of("chunk"),
  s,
  o: fc.nat({ max: 2 }),
  text: fc.constantFrom(...TEXTS),
  complete: fc.constantFrom(false, false, false, true),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: chunk },
  { weight: 6, arbitrary: fc.record({ op: of("tool", "done", "irreversible", "irreversible", "reuse", "reuse"), s }) },
  { weight: 1, arbitrary: fc.record({ op: of("end"), s }) },
  { weight: 3, arbitrary: fc.record({ op: of("ask"), s, seconds: fc.constantFrom(5, 60, 100) }) },
  { weight: 3, arbitrary: fc.record({ op: of("reply"), accept: fc.constantFrom(true, true, false) }) },
  { weight: 3, arbitrary: fc.record({ op: of("wait"), ms: fc.constantFrom(1, 100, 300, 1000, 4000, 6000) }) },
  { weight: 4, arbitrary: fc.record({ op: of("flush") }) },
  { weight: 1, arbitrary: fc.record({ op: of("fail", "recover") }) },
  { weight: 1, arbitrary: fc.record({ op: of("block"), l, on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: of("rejoin"), l, lost }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: of("kill"), awayMs: fc.constantFrom(0, 50, 5000, 70_000, -10_000), lost, absent }),
  },
);

const inOrder = <T>(...steps: readonly fc.Arbitrary<T>[]): fc.Arbitrary<readonly T[]> => fc.tuple(...steps);

/** One comes back to a place before its last, something is said, and all of this is lost in a kill. */
const killedReturn = inOrder<Step>(
  fc.record({ op: of("wait"), ms: fc.constant(1000) }),
  fc.record({ op: of("flush") }),
  fc.record({ op: of("rejoin"), l, lost: fc.constantFrom(4, 1000) }),
  fc.oneof(fc.record({ op: of("end"), s }), fc.record({ op: of("ask"), s, seconds: fc.constant(100) }), step),
  fc.record({ op: of("kill"), awayMs: fc.constant(0), lost: fc.constantFrom(0, 1), absent: fc.constant([]) }),
);

const history: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.oneof({ weight: 30, arbitrary: step.map((one) => [one]) }, { weight: 2, arbitrary: killedReturn }), {
    maxLength: 60,
    size: "max",
  })
  .map((parts) => parts.flat());

describe("restarting", () => {
  it("R29: nothing that was acknowledged is lost, nothing happens twice, and nobody misses anything", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        expectNoFaults(...(await restartFaults(steps, "insist")));
      }),
      { numRuns: casesOf(125) },
    );
  });

  it("R17, R29: leaves no place that loses anything, and nothing of what is void, where agents give up what a kill took back", async () => {
    const rarelySafe = fc.oneof(
      { weight: 8, arbitrary: chunk },
      { weight: 5, arbitrary: fc.record({ op: of("tool", "tool", "tool", "tool", "end", "complete"), s }) },
      { weight: 3, arbitrary: fc.record({ op: of("flush", "flush", "fail") }) },
      { weight: 3, arbitrary: fc.record({ op: of("wait"), ms: fc.constantFrom(1, 300, 1000, 6000) }) },
      { weight: 2, arbitrary: fc.record({ op: of("rejoin"), l, lost }) },
      { weight: 5, arbitrary: fc.record({ op: of("kill"), awayMs: fc.constant(100), lost, absent }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(rarelySafe, { maxLength: 40, size: "max" }), async (steps) => {
        expectNoFaults(...(await restartFaults(steps, "give up")));
      }),
      { numRuns: casesOf(125) },
    );
  });
});
