// The difference between two reports. CI compares its own with the committed one, and a person sees what a change did.
import type { ConformanceReport } from "./report-json.js";
import { visibleLine } from "./visible-text.js";

/**
 * Compares two reports by what lasts, in one line for each change: what holds for the whole report, then the cases, newly failing ones first. An
 * empty list: the reports say the same. Dates, durations, the endpoint, the order of the cases, and what was seen differ between two runs of the same
 * target, and are left out. No line has a character that moves a cursor.
 */
export function compareReports(before: ConformanceReport, after: ConformanceReport): readonly string[] {
  const [old, young] = [casesOf(before), casesOf(after)];
  const ids = [...new Set([...Object.keys(old), ...Object.keys(young)])].sort();
  const changed = ids.filter((id) => old[id] !== young[id]);
  const isFailing = (id: string): boolean => young[id]?.startsWith("failed") === true;
  const inOrder = [...changed.filter(isFailing), ...changed.filter((id) => !isFailing(id))];
  const [whole, wholeAfter] = [wholeOf(before), wholeOf(after)];
  return [
    ...Object.entries(whole).flatMap(([field, value]) =>
      value === wholeAfter[field] ? [] : [`${field}: ${value} → ${wholeAfter[field]}`],
    ),
    ...inOrder.map((id) => `${id}: ${old[id] ?? "not there"} → ${young[id] ?? "not there"}`),
  ].map(visibleLine);
}

/** The outcome of each case, and the rule that it judged. */
function casesOf({ test_results }: ConformanceReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    test_results.map(({ test_id, outcome, description, spec_reference }) => [
      test_id,
      `${outcome} (${description} ${spec_reference})`,
    ]),
  );
}

function wholeOf({ metadata, ...report }: ConformanceReport): Readonly<Record<string, string>> {
  return {
    aaep_spec_version: report.aaep_spec_version,
    suite_version: report.suite_version,
    conformance_level: String(report.conformance_level),
    verdict: report.verdict,
    claim: report.claim === null ? "refused" : "made",
    target_name: metadata.target_name,
    filter: metadata.filter ?? "none",
    fail_on_warning: String(metadata.fail_on_warning),
    extensions: metadata.extensions.toSorted().join(","),
  };
}
