// The usual ratios between the daemon and the bare part beside it: the least and the greatest of seven runs on a machine with two cores, and a tenth
// beyond both.
import type { Measure } from "./measurements.js";

export interface Range {
  readonly least: number;
  readonly most: number;
}

export type Verdict = "usual" | "better" | "worse";

const USUAL: Readonly<Record<Measure, Range & { readonly isBetter: "more" | "less" }>> = {
  events_per_second: { least: 0.32, most: 0.84, isBetter: "more" },
  cpu_of_event: { least: 12, most: 26, isBetter: "less" },
  cpu_of_further_listener: { least: 1.5, most: 2.2, isBetter: "less" },
  critical_p50: { least: 2.2, most: 5.2, isBetter: "less" },
  critical_p99: { least: 0.95, most: 16, isBetter: "less" },
  start: { least: 2.1, most: 3.1, isBetter: "less" },
};

export function usualRatio(measure: Measure): Range {
  const { least, most } = USUAL[measure];
  return { least, most };
}

export function verdictOf(measure: Measure, ratio: number): Verdict {
  const { least, most, isBetter } = USUAL[measure];
  if (ratio >= least && ratio <= most) return "usual";
  return ratio > most === (isBetter === "more") ? "better" : "worse";
}
