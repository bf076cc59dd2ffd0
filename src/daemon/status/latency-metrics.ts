// The histograms of latencies, for Prometheus. The engine has counted already, and the library's histograms take one value at a time. This file
// therefore writes its samples itself.
import type { EngineReport } from "../../engine/engine-status.js";
import { LATENCY_BOUNDS_MS, type LatencyCounts } from "../../engine/time/latency-histogram.js";

const BOUNDS = [...LATENCY_BOUNDS_MS.map((ms) => String(ms / 1000)), "+Inf"];

/** Returns both histograms in the text format of Prometheus. */
export function latencyText({ publish, delivery }: EngineReport["latencies"]): string {
  return [
    ...histogram(
      "aaepd_publish_latency_seconds",
      "Time from the call of a publish until the journal's policy holds, and the agent gets its answer.",
      [["", publish]],
    ),
    ...histogram(
      "aaepd_delivery_latency_seconds",
      "Time from the publication of an event to its hand-over to a transport.",
      [
        ['pace="unlimited"', delivery.unlimited],
        ['pace="limited"', delivery.limited],
      ],
    ),
    "",
  ].join("\n");
}

function histogram(
  name: string,
  help: string,
  series: readonly (readonly [label: string, counts: LatencyCounts])[],
): readonly string[] {
  const samples = series.flatMap(([label, { buckets, sumMs }]) => {
    const of = (...labels: readonly string[]): string => {
      const given = [label, ...labels].filter((one) => one !== "");
      return given.length === 0 ? "" : `{${given.join(",")}}`;
    };
    let count = 0;
    const cumulative = buckets.map((inBucket, index) => {
      count += inBucket;
      return `${name}_bucket${of(`le="${BOUNDS[index]}"`)} ${count}`;
    });
    return [...cumulative, `${name}_sum${of()} ${sumMs / 1000}`, `${name}_count${of()} ${count}`];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...samples];
}
