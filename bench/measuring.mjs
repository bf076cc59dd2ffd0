// Pairs, medians and spreads.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Pairs that every line has, and how long one may take before it has no more than these. */
export const FEWEST_PAIRS = 3;
const LONG_ENOUGH_MS = 12_000;

/** Runs `one` and `other` in turn, the first time unmeasured, and answers what each said, pair by pair; fewer pairs where they take long. */
export async function interleaved(pairs, one, other) {
  const begin = performance.now();
  await one();
  await other();
  const measured = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    if (pair >= FEWEST_PAIRS && performance.now() - begin > LONG_ENOUGH_MS) break;
    // The order changes, so that a trend of the machine favours neither.
    if (pair % 2 === 0) {
      const first = await one();
      measured.push([first, await other()]);
    } else {
      const second = await other();
      measured.push([await one(), second]);
    }
  }
  return measured;
}

/** A line of the table: both figures, and the median and spread of their ratios. `target` is about the ratio. */
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

/** A line whose target is about something else than the ratio: `aim.of` makes its figure, in `aim.unit`, out of a pair and its number. */
export function aimedLine(what, unit, pairs, aim, target, notes) {
  return {
    ...ratioLine(what, unit, pairs, target, notes),
    aim: { unit: aim.unit, ...spreadOf(pairs.map((pair, index) => aim.of(pair, index))) },
  };
}

/** A line of what could not be measured here, and why. */
export function missingLine(what, why) {
  return { what, missing: why };
}

function spreadOf(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

export const atLeast = (bound) => ({ kind: "at least", bound });
export const atMost = (bound) => ({ kind: "at most", bound });

/** Undefined where there is no target, or no figure. */
export function isMet(line) {
  const figure = (line.aim ?? line.ratio)?.median;
  const { target } = line;
  if (target === undefined || figure === undefined) return undefined;
  return target.kind === "at least" ? figure >= target.bound : figure <= target.bound;
}
