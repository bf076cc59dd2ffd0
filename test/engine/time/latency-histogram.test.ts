import { expect, it } from "vitest";
import { LATENCY_BOUNDS_MS, LatencyHistogram } from "../../../src/engine/time/latency-histogram.js";

it("counts each latency in the bucket of the lowest bound that it does not exceed", () => {
  const histogram = new LatencyHistogram();
  const least = LATENCY_BOUNDS_MS[0] ?? 0;
  histogram.note(0, 1);
  histogram.note(least, 2);
  histogram.note(least + 0.01, 4);
  histogram.note(10_000, 8);
  histogram.note(10_000.1, 16);
  const { buckets, sumMs } = histogram.counts();
  expect(buckets).toHaveLength(LATENCY_BOUNDS_MS.length + 1);
  expect(buckets.filter((count) => count > 0)).toStrictEqual([3, 4, 8, 16]);
  expect([buckets[0], buckets[1], buckets.at(-2), buckets.at(-1)]).toStrictEqual([3, 4, 8, 16]);
  expect(sumMs).toBeCloseTo(2 * least + 4 * (least + 0.01) + 80_000 + 16 * 10_000.1);
});

it("its bounds ascend from a tenth of a millisecond to ten seconds, and its counts are a copy", () => {
  expect([...LATENCY_BOUNDS_MS].sort((a, b) => a - b)).toStrictEqual(LATENCY_BOUNDS_MS);
  expect([LATENCY_BOUNDS_MS[0], LATENCY_BOUNDS_MS.at(-1)]).toStrictEqual([0.1, 10_000]);
  const histogram = new LatencyHistogram();
  const before = histogram.counts();
  histogram.note(1, 1);
  expect(before.buckets.every((count) => count === 0)).toBe(true);
});
