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

/** Pairs of every line, and the time after which a line gets no more than these. */
export const FEWEST_PAIRS = 3;
const LONG_ENOUGH_MS = 12_000;

/** Runs `one` and `other` in turn, the first time unmeasured, and returns their results pair by pair; fewer pairs if they take long. */
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
