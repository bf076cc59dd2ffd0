// Pairs, medians and spreads.
import { interleaved as inTurns, median, percentile } from "../dist/src/cli/bench/figures.js";

export { median, percentile };

/** Pairs of every line, and the time after which a line gets no more than these. */
export const FEWEST_PAIRS = 3;
const LONG_ENOUGH_MS = 12_000;

/** The pairs of both, as `inTurns` has them; fewer pairs if they take long. */
export function interleaved(pairs, one, other) {
  return inTurns(pairs, one, other, (count, ms) => count >= FEWEST_PAIRS && ms > LONG_ENOUGH_MS);
}

/** A line of the table: both figures, and the median and spread of their ratios. `target` applies to the ratio. */
export function ratioLine(what, unit, pairs, target, { note } = {}) {
  return {
    what,
    unit,
    daemon: median(pairs.map(([ours]) => ours)),
    beside: median(pairs.map(([, beside]) => beside)),
    ratio: spreadOf(pairs.map(([ours, beside]) => ours / beside)),
    target,
    note,
  };
}

/** A line whose target applies to another figure than the ratio: `aim.of` computes it, in `aim.unit`, from a pair and its number. */
export function aimedLine(what, unit, pairs, aim, target, notes) {
  return {
    ...ratioLine(what, unit, pairs, target, notes),
    aim: { unit: aim.unit, ...spreadOf(pairs.map((pair, index) => aim.of(pair, index))) },
  };
}

/** A line for a figure that could not be measured here, with the reason. */
export function missingLine(what, why) {
  return { what, missing: why };
}

function spreadOf(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

export const atLeast = (bound) => ({ kind: "at least", bound });
export const atMost = (bound) => ({ kind: "at most", bound });

/** Undefined if there is no target, or no figure. */
export function isMet(line) {
  const figure = (line.aim ?? line.ratio)?.median;
  const { target } = line;
  if (target === undefined || figure === undefined) return undefined;
  return target.kind === "at least" ? figure >= target.bound : figure <= target.bound;
}
