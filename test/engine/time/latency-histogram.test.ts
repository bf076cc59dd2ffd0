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
