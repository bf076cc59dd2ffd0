// The difference between two reports. CI compares its own with the committed one, and a person sees what a change did.
import type { ConformanceReport } from "./report-json.js";
import { visibleLine } from "./visible-text.js";

/**
 * Compares two reports by what lasts, in one line for each change: what holds for the whole report, then the cases, newly failing ones first. An
 * empty list: the reports say the same. A line ends with the rule, or with both where the reports judge a case by another one. Dates, durations, the
 * endpoint, the order of the cases, and what was seen differ between two runs of the same target, and are left out. No line has a character that
 * moves a cursor.
 */
export function compareReports(before: ConformanceReport, after: ConformanceReport): readonly string[] {
  const [old, young] = [casesOf(before), casesOf(after)];
  const ids = [...new Set([...old.keys(), ...young.keys()])].sort();
  const changed = ids.filter(
    (id) => old.get(id)?.outcome !== young.get(id)?.outcome || old.get(id)?.rule !== young.get(id)?.rule,
  );
  const isFailing = (id: string): boolean => young.get(id)?.outcome === "failed";
  const inOrder = [...changed.filter(isFailing), ...changed.filter((id) => !isFailing(id))];
  const [whole, wholeAfter] = [wholeOf(before), wholeOf(after)];
  return [
    ...Object.entries(whole).flatMap(([field, value]) =>
      value === wholeAfter[field] ? [] : [`${field}: ${value} → ${wholeAfter[field]}`],
    ),
    ...inOrder.map((id) => `${id}: ${changeOf(old.get(id), young.get(id))}`),
  ].map(visibleLine);
}

interface Case {
  readonly outcome: string;
  readonly rule: string;
}

function changeOf(before: Case | undefined, after: Case | undefined): string {
  const outcomes = `${before?.outcome ?? "not there"} → ${after?.outcome ?? "not there"}`;
  const rules = new Set([before, after].flatMap((one) => one?.rule ?? []));
  return `${outcomes} (${[...rules].join(" → ")})`;
}

/** The outcome of each case, and the rule that it judged. */
function casesOf({ test_results }: ConformanceReport): ReadonlyMap<string, Case> {
  return new Map(
    test_results.map(({ test_id, outcome, description, spec_reference }) => [
      test_id,
      { outcome, rule: `${description} ${spec_reference}` },
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
