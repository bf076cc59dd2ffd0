// Measures how long agents wait until a publish is accepted: from its call to the moment at which the journal's policy holds (R29).
import type { Clock, Millis } from "../../contracts/clock.js";
import { createLatencyHistogram, type LatencyCounts } from "../time/latency-histogram.js";

export interface PublishLatency {
  /** Counts one publish that began at `at`. `durable` is the promise of its append; a publish whose promise is rejected does not count. */
  readonly published: (at: Millis, durable: Promise<void> | undefined) => void;
  readonly counts: () => LatencyCounts;
}

export function createPublishLatency(clock: Pick<Clock, "now">): PublishLatency {
  const histogram = createLatencyHistogram();
  // The beginnings of the publishes in the newest group. All of them share the promise of the group, so one callback measures them all.
  let group: Promise<void> | undefined;
  let begun: Millis[] = [];

  const measure = (accepted: readonly Millis[]): void => {
    const now = clock.now();
    for (const at of accepted) histogram.note(now - at, 1);
  };

  return {
    published: (at, durable) => {
      if (durable === undefined) {
        histogram.note(clock.now() - at, 1);
        return;
      }
      if (durable !== group) {
        const accepted: Millis[] = [];
        group = durable;
        begun = accepted;
        durable.then(
          () => measure(accepted),
          () => {},
        );
      }
      begun.push(at);
    },
    counts: histogram.counts,
  };
}
