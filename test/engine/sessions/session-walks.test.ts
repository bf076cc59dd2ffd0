// Whatever is published in a session, in any order, over any connection: an oracle says what is accepted, with which of the daemon's events before it,
// and what is refused with which code (test/support/oracles/session-oracle.ts).
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { casesOf, isWhole, oneIn } from "../../support/extent.js";
import { SessionOracle } from "../../support/oracles/session-oracle.js";
import { ALPHABET, type Plan, PUBLISHES, type Step } from "../../support/oracles/session-plans.js";
import { createSessionPlayer } from "../../support/rigs/session-player.js";

interface Difference {
  /** The steps that were played, to be put into session-plans.jsonl. */
  readonly plan: string;
  readonly expected: string;
  readonly told: string;
}

/** The first step that the daemon answers otherwise than the rules say. */
function differenceOf({ steps }: Plan): Difference | undefined {
  const player = createSessionPlayer();
  const oracle = new SessionOracle();
  for (const [index, step] of steps.entries()) {
    const [expected, told] = [oracle.play(step), player.play(step)];
    const plan = JSON.stringify({ steps: steps.slice(0, index + 1) });
    const difference = { plan, expected: JSON.stringify(expected), told: JSON.stringify(told) };
    if (difference.expected !== difference.told) return difference;
  }
  return undefined;
}

const PLANS = readFileSync(new URL("session-plans.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Plan & { readonly name: string });

test.each(PLANS)("$name", (plan) => {
  expect(differenceOf(plan)).toBeUndefined();
});

/** Lives that the steps go on from. */
const BEGINNINGS: readonly (readonly string[])[] = [
  [],
  ["begins"],
  ["begins", "idle>thinking", "asks 1", "asks 2"],
  ["begins", "calls x as 1", "calls x", "writes", "writes a", "hands off"],
  ["begins", "confirms 4", "confirms 5 of x", "confirms 6 of x as 2"],
];

/** Of so many plans one is played. */
const STRIDE = isWhole ? 19 : 67;

function* pairPlans(): Iterable<Plan> {
  for (const beginning of BEGINNINGS)
    for (const first of ALPHABET)
      for (const second of ALPHABET) yield { steps: [...beginning.map((words) => `planner: ${words}`), first, second] };
}

test(`R3: one in ${STRIDE} of any two steps`, { timeout: 300_000 }, () => {
  const differences: Difference[] = [];
  let playedCount = 0;
  for (const plan of oneIn(STRIDE, pairPlans())) {
    const difference = differenceOf(plan);
    playedCount += 1;
    if (difference !== undefined) differences.push(difference);
    if (differences.length > 5) break;
  }
  expect(differences).toEqual([]);
  expect(playedCount).toBeGreaterThanOrEqual(Math.floor((BEGINNINGS.length * ALPHABET.length ** 2) / STRIDE));
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...ALPHABET) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...PUBLISHES), { minLength: 2, maxLength: 4 }) },
);
const anyPlan = fc.record<Plan>({
  steps: fc
    .tuple(
      fc.constantFrom("begins", "begins in French", "begins as number 5"),
      fc.array(anyStep, { maxLength: 40, size: "max" }),
    )
    .map(([begins, steps]) => [`planner: ${begins}`, ...steps]),
});

test("R3: long lives of a session, by chance", { timeout: 300_000 }, () => {
  const isRight = fc.property(anyPlan, (plan) => {
    expect(differenceOf(plan)).toBeUndefined();
  });
  fc.assert(isRight, { numRuns: casesOf(2000) });
});
