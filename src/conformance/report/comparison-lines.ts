// A comparison of reports in words.
import type { FieldChange, OutcomeChange, ReportComparison } from "./compare.js";
import { visibleLine } from "./visible-text.js";

/** One line for each change, the worst first. Reports that say the same get one line too. No line has a character that moves a cursor. */
export function comparisonLines(comparison: ReportComparison): readonly string[] {
  if (comparison.isSame) return ["The reports say the same."];
  const lines = [
    ...comparison.newlyFailing.map((one) => `newly failing: ${changeWords(one)}`),
    ...comparison.newlySkipped.map((one) => `newly skipped: ${changeWords(one)}`),
    ...comparison.gone.map((one) => `gone: ${one.testId} (was ${one.before ?? ""})`),
    ...comparison.added.map((one) => `new: ${one.testId} (${one.after ?? ""})`),
    ...comparison.newlyPassing.map((one) => `newly passing: ${changeWords(one)}`),
    ...comparison.otherwise.map(fieldWords),
  ];
  return lines.map(visibleLine);
}

function changeWords({ testId, before }: OutcomeChange): string {
  return `${testId} (was ${before ?? ""})`;
}

function fieldWords({ testId, field, before, after }: FieldChange): string {
  return `changed: ${testId === null ? "" : `${testId} `}${field}, "${before}" → "${after}"`;
}
