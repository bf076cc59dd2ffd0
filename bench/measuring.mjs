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

/** Runs `one` and `other` in turn, the first time unmeasured, and answers what each said, pair by pair. */
export async function interleaved(pairs, one, other) {
  await one();
  await other();
  const measured = [];
  for (let pair = 0; pair < pairs; pair += 1) {
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

/** A line of the table: both figures, and the median and spread of their ratios. */
export function ratioLine(what, unit, pairs, target, notes) {
  const ratios = pairs.map(([ours, bare]) => ours / bare);
  return {
    what,
    unit,
    daemon: median(pairs.map(([ours]) => ours)),
    bare: median(pairs.map(([, bare]) => bare)),
    value: median(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    valueUnit: "×",
    target,
    ...notes,
  };
}

/** A line of figures that stand for themselves. */
export function figureLine(what, unit, values, target, notes) {
  return {
    what,
    unit,
    value: median(values),
    least: Math.min(...values),
    most: Math.max(...values),
    valueUnit: unit,
    target,
    ...notes,
  };
}

export const atLeast = (bound) => ({ kind: "at least", bound });
export const atMost = (bound) => ({ kind: "at most", bound });

export function isMet({ value, target }) {
  if (target === undefined) return undefined;
  return target.kind === "at least" ? value >= target.bound : value <= target.bound;
}
