// Measures in pairs, and sums up the values.

/** Of an even number of values, the mean of the middle two. NaN if there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that a share of the values, from 0 to 1, does not exceed. NaN if there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs both in turns, the first pair uncounted. The order changes, so that a trend of the machine favours neither. Resolves with `count` pairs, or
 * with fewer if `isEnough` says so of the number of pairs and of the ms so far.
 */
export async function interleaved<One, Other>(
  count: number,
  one: () => Promise<One>,
  other: () => Promise<Other>,
  isEnough: (pairs: number, ms: number) => boolean = () => false,
): Promise<readonly (readonly [One, Other])[]> {
  const begin = performance.now();
  await one();
  await other();
  const measured: (readonly [One, Other])[] = [];
  while (measured.length < count && !isEnough(measured.length, performance.now() - begin)) {
    if (measured.length % 2 === 0) {
      const first = await one();
      measured.push([first, await other()]);
    } else {
      const second = await other();
      measured.push([await one(), second]);
    }
  }
  return measured;
}
