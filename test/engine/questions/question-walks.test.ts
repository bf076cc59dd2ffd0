// Everything that can come of questions: who answers, who comes and goes, the clock, the disk, restarts and take-overs, in any order. After each step
// an oracle says what every party was told (test/support/oracles/question-oracle.ts).
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { casesOf, isWhole, oneIn } from "../../support/extent.js";
import { QuestionOracle, type Told } from "../../support/oracles/question-oracle.js";
import { ALPHABET, ASKS, type Ask, type Plan, type Step } from "../../support/oracles/question-plans.js";
import { QuestionStage } from "../../support/rigs/question-stage.js";

interface Fault {
  /** The steps that were played, to be put into question-plans.jsonl. */
  readonly plan: string;
  /** What differs, by party. */
  readonly expected: readonly string[];
  readonly told: readonly string[];
}

/** The first step at which somebody was told something else than the rules say. */
async function faultOf({ scene, steps }: Plan): Promise<Fault | undefined> {
  const stage = await QuestionStage.create(scene);
  const oracle = new QuestionOracle(scene, stage.wall);
  const played: Step[] = [];
  for (const step of steps) {
    if (!oracle.can(step)) continue;
    played.push(step);
    const hints = { spanMs: oracle.spanOf(step), deadline: oracle.deadlineOnWall() };
    const [expected, told] = [oracle.play(step), await stage.play(step, hints)];
    const plan = JSON.stringify({ scene, steps: played });
    const parties = [...new Set([...Object.keys(expected), ...Object.keys(told)])];
    const differing = parties.filter((one) => linesOf(expected, one) !== linesOf(told, one));
    const said = (of: Told) => differing.map((one) => `${one}: ${linesOf(of, one)}`);
    if (differing.length > 0) return { plan, expected: said(expected), told: said(told) };
    const accidents = stage.accidents();
    if (accidents.length > 0) return { plan, expected: [], told: accidents };
  }
  return undefined;
}

/** The order in which several are shown a question is nobody's matter. */
function linesOf(told: Told, party: string): string {
  const lines = told[party] ?? [];
  return (party === "shown" ? [...lines].sort() : lines).join(" | ");
}

/** Plans that once went wrong, or that chance finds seldom: one a line. */
const PLANS = readFileSync(new URL("question-plans.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Plan & { readonly name: string });

test.each(PLANS)("$name", async (plan) => {
  expect(await faultOf(plan)).toBeUndefined();
});

/** Of so many plans one is played, with other steps each time. */
const STRIDE = isWhole ? 67 : 269;

function* pairPlans(): Iterable<Plan> {
  for (const scene of ["instant", "patient"] as const)
    for (const ask of Object.keys(ASKS) as Ask[])
      for (const first of ALPHABET)
        for (const second of ALPHABET)
          yield {
            scene,
            steps: ["A comes", "B comes", "D comes", `X ${ask}`, first, second, "almost due", "due", "due"],
          };
}

test(`one in ${STRIDE} of any two steps after any question, with three listeners`, { timeout: 300_000 }, async () => {
  const faults: Fault[] = [];
  let playedCount = 0;
  for (const plan of oneIn(STRIDE, pairPlans())) {
    const fault = await faultOf(plan);
    playedCount += 1;
    if (fault !== undefined) faults.push(fault);
    if (faults.length > 5) break;
  }
  expect(faults).toEqual([]);
  const allCount = 2 * Object.keys(ASKS).length * ALPHABET.length ** 2;
  expect(playedCount).toBeGreaterThanOrEqual(Math.floor(allCount / STRIDE));
});

const anyStep = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(ASKS) as Ask[]).map((ask): Step => `X ${ask}`)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>("A comes", "B comes", "C comes", "D comes", "A accepts", "X takes over"),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>("almost due", "due") },
  { weight: 6, arbitrary: fc.constantFrom(...ALPHABET) },
);
const anyPlan = fc.record<Plan>({
  scene: fc.constantFrom("instant", "patient"),
  steps: fc.array(anyStep, { maxLength: 24, size: "max" }),
});

test("long lives of a session, by chance", { timeout: 300_000 }, async () => {
  const isRight = fc.asyncProperty(anyPlan, async (plan) => {
    expect(await faultOf(plan)).toBeUndefined();
  });
  await fc.assert(isRight, { numRuns: casesOf(3000) });
});
