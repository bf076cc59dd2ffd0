// How much is tested. `npm test` tries a twentieth of the cases that a search has and skips the tests that take longest. `.ci/run` sets TEST_ALL: every
// test runs, and properties try three tenths.
import fc from "fast-check";
import { it } from "vitest";

/** Whether everything is tested: TEST_ALL is set. */
export const isWhole = process.env.TEST_ALL !== undefined;

/** Whether a test that has a longer run is asked for that: TEST_LONG is set. */
export const isLong = process.env.TEST_LONG !== undefined;

/** PROPERTY_CASES is the number of cases of a property that names 1,000: default 50, in a whole run 300, in a search more. */
const share = Number(process.env.PROPERTY_CASES ?? (isWhole ? 300 : 50)) / 1000;
const FEWEST = 20;

/** Cases of a property that names `all` of them. */
export function casesOf(all: number): number {
  return Math.max(Math.min(all, FEWEST), Math.ceil(all * share));
}

/**
 * Whether a pair of a table is tried: in a whole run always, in a short one for `most` columns of each row. The columns take turns from row to row, so
 * that a table with as many rows as columns tries each of them.
 */
export function isTried(row: number, column: number, columns: number, most: number): boolean {
  return isWhole || (row + column) % columns < most;
}

/** One in `stride` of all plans of a walk, beginning where the seed of the properties says. */
export function* oneIn<Plan>(stride: number, plans: Iterable<Plan>): Iterable<Plan> {
  let index = Math.abs(fc.readConfigureGlobal()?.seed ?? Date.now());
  for (const plan of plans) if (index++ % stride === 0) yield plan;
}

/** `it` of tests that run only where everything is tested. */
export const itInFull = it.skipIf(!isWhole);
