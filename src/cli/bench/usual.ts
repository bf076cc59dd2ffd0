// The usual ratios between the daemon and the bare part beside it. docs/command-line.md says where they were measured.
import type { Measure } from "./measurements.js";

export interface Range {
  readonly least: number;
  readonly most: number;
}

export type Verdict = "usual" | "better" | "worse";

const USUAL: Readonly<Record<Measure, Range & { readonly isBetter: "more" | "less" }>> = {
  events_per_second: { least: 0.2, most: 0.35, isBetter: "more" },
  cpu_of_event: { least: 15, most: 35, isBetter: "less" },
  cpu_of_further_listener: { least: 1.5, most: 4, isBetter: "less" },
  critical_p50: { least: 1.5, most: 3, isBetter: "less" },
  critical_p99: { least: 1, most: 4, isBetter: "less" },
  start: { least: 3, most: 8, isBetter: "less" },
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
