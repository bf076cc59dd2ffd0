// The difference between two reports. CI compares its own with the committed one, and a person sees what a change did.
import type { ConformanceReport, Outcome, TestResult } from "./conformance-report.js";

/** A case whose outcome changed. */
export interface OutcomeChange {
  readonly testId: string;
  /** Null: the case was not there. */
  readonly before: Outcome | null;
  /** Null: the case is not there any more. */
  readonly after: Outcome | null;
}

/** Anything else that changed, of a case or of the whole report. */
export interface FieldChange {
  /** Null: a field of the whole report. */
  readonly testId: string | null;
  /** The field's name in the report. */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The lists are in the order of ids. */
export interface ReportComparison {
  /** Nothing below has an entry: the reports say the same. */
  readonly isSame: boolean;
  readonly newlyFailing: readonly OutcomeChange[];
  readonly newlyPassing: readonly OutcomeChange[];
  readonly newlySkipped: readonly OutcomeChange[];
  /** Cases of the first report alone. */
  readonly gone: readonly OutcomeChange[];
  /** Cases of the second report alone, with their outcome. */
  readonly added: readonly OutcomeChange[];
  readonly otherwise: readonly FieldChange[];
}

/**
 * Compares two reports by what lasts. Dates, durations, the endpoint, the order of the cases, evidence, and the texts of what was seen or why a case
 * was skipped differ between two runs of the same target, and are left out. So are counts and the claim's words, which follow from the rest.
 */
export function compareReports(before: ConformanceReport, after: ConformanceReport): ReportComparison {
  const [old, young] = [byId(before), byId(after)];
  const ids = [...new Set([...old.keys(), ...young.keys()])].sort();
  const changes = ids.map((testId) => ({
    testId,
    before: old.get(testId)?.outcome ?? null,
    after: young.get(testId)?.outcome ?? null,
  }));
  const added = changes.filter((one) => one.before === null);
  const gone = changes.filter((one) => one.after === null);
  const changed = changes.filter((one) => one.before !== null && one.after !== null && one.before !== one.after);
  const otherwise = [
    ...fieldChanges(null, lastingOfReport(before), lastingOfReport(after)),
    ...ids.flatMap((testId) => caseChanges(testId, old.get(testId), young.get(testId))),
  ];
  return {
    isSame: added.length + gone.length + changed.length + otherwise.length === 0,
    newlyFailing: changed.filter((one) => one.after === "failed"),
    newlyPassing: changed.filter((one) => one.after === "passed"),
    newlySkipped: changed.filter((one) => one.after === "skipped"),
    gone,
    added,
    otherwise,
  };
}

function byId(report: ConformanceReport): ReadonlyMap<string, TestResult> {
  return new Map(report.test_results.map((result) => [result.test_id, result]));
}

type Lasting = Readonly<Record<string, string>>;

function lastingOfReport(report: ConformanceReport): Lasting {
  const { metadata } = report;
  return {
    aaep_spec_version: report.aaep_spec_version,
    suite_version: report.suite_version,
    conformance_level: String(report.conformance_level),
    verdict: report.verdict,
    claim: report.claim === null ? "refused" : "made",
    target_kind: metadata.target_kind,
    target_name: metadata.target_name,
    filter: metadata.filter ?? "none",
    fail_on_warning: String(metadata.fail_on_warning),
    extensions: metadata.extensions.toSorted().join(","),
  };
}

function caseChanges(
  testId: string,
  before: TestResult | undefined,
  after: TestResult | undefined,
): readonly FieldChange[] {
  if (before === undefined || after === undefined) return [];
  const changes = fieldChanges(testId, lastingOfCase(before), lastingOfCase(after));
  // A skipped case has a severity of its own, and only a failed one an expectation: these change with the outcome.
  if (before.outcome === after.outcome) return changes;
  return changes.filter(({ field }) => field !== "severity" && field !== "expected");
}

function lastingOfCase(result: TestResult): Lasting {
  return {
    description: result.description,
    severity: result.severity,
    expected: result.expected ?? "",
    spec_reference: result.spec_reference,
    role: result.role,
    level: String(result.level),
    extension: result.extension ?? "none",
  };
}

function fieldChanges(testId: string | null, before: Lasting, after: Lasting): readonly FieldChange[] {
  return Object.entries(before).flatMap(([field, old]) => {
    const young = after[field] ?? "";
    return old === young ? [] : [{ testId, field, before: old, after: young }];
  });
}
