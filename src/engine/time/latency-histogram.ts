// A histogram of latencies: counts by upper bound, so that noting a latency costs a few comparisons and keeps nothing of it.
import type { Millis } from "../../contracts/clock.js";

/** Upper bounds of the buckets, ms. One more bucket holds everything above the last bound. */
export const LATENCY_BOUNDS_MS: readonly Millis[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
];

/** The contents of a histogram since the start. */
export interface LatencyCounts {
  /** Count of each bucket alone, without those below it: one for each bound, and one above the last. */
  readonly buckets: readonly number[];
  /** Sum of all latencies, ms. */
  readonly sumMs: number;
}

export class LatencyHistogram {
  private readonly buckets = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
  private sumMs = 0;

  /** Counts `count` events of the same latency. */
  note(latencyMs: Millis, count: number): void {
    let bucket = 0;
    // From below, because most latencies are short.
    while (latencyMs > (LATENCY_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + count;
    this.sumMs += latencyMs * count;
  }

  counts(): LatencyCounts {
    return { buckets: [...this.buckets], sumMs: this.sumMs };
  }
}
