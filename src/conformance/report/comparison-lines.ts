// A comparison of reports in words.
import type { FieldChange, OutcomeChange, ReportComparison } from "./compare.js";
import { visibleLine } from "./visible-text.js";

/**
 * One line for each change, the worst first. Different levels come before everything, because they explain most of it. Reports that say the same get
 * one line too. No line has a character that moves a cursor.
 */
export function comparisonLines(comparison: ReportComparison): readonly string[] {
  if (comparison.isSame) return ["The reports say the same."];
  const lines = [
    ...comparison.otherwise.filter(isLevel).map(levelWords),
    ...comparison.newlyFailing.map((one) => `newly failing: ${changeWords(one)}`),
    ...comparison.newlySkipped.map((one) => `newly skipped: ${changeWords(one)}`),
    ...comparison.gone.map((one) => `gone: ${one.testId} (was ${one.before ?? ""})`),
    ...comparison.added.map((one) => `new: ${one.testId} (${one.after ?? ""})`),
    ...comparison.newlyPassing.map((one) => `newly passing: ${changeWords(one)}`),
    ...comparison.otherwise.filter((one) => !isLevel(one)).map(fieldWords),
  ];
  return lines.map(visibleLine);
}

function changeWords({ testId, before }: OutcomeChange): string {
  return `${testId} (was ${before ?? ""})`;
}

function isLevel({ testId, field }: FieldChange): boolean {
  return testId === null && field === "conformance_level";
}

function levelWords({ before, after }: FieldChange): string {
  return `The reports are of different levels, ${before} and ${after}. A case of the higher level alone is gone or new.`;
}

function fieldWords({ testId, field, before, after }: FieldChange): string {
  return `changed: ${testId === null ? "" : `${testId} `}${field}, "${before}" → "${after}"`;
}
