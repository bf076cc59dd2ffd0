// The report of a run, as it stands in conformance-report.json: with the field names of the published suite (AAEP §9.7), which have underscores. Its
// schema in schemas/conformance describes each field.
import { type CaseResult, SPECIFICATION_VERSION, SUITE_VERSION, type SuiteRun } from "../findings/finding.js";
import { claimOf, failsVerdict, levelWithout } from "./claim.js";

/** FAIL: a case failed that counts. SKIPPED: all cases were skipped, or all cases of one level. */
export type ReportVerdict = "PASS" | "FAIL" | "SKIPPED";
export type ConformanceReport = ReturnType<typeof reportJson>;
export type TestResult = ReturnType<typeof testResult>;

export interface ReportOptions {
  /** A failed SHOULD makes the verdict FAIL, and refuses the claim. Default false. */
  readonly failOnWarning?: boolean;
}

/**
 * Reports a run. The verdict is FAIL only by a failed MUST of the level, of a set that was asked for, or of a case that was chosen (AAEP §9.7), or by
 * a SHOULD of those where `failOnWarning` is set.
 */
export function reportJson(run: SuiteRun, { failOnWarning = false }: ReportOptions = {}) {
  const results = run.results.map(testResult);
  const failures = run.results.filter((one) => failsVerdict(run, one, failOnWarning)).map(testResult);
  const count = (outcome: TestResult["outcome"]) => results.filter((one) => one.outcome === outcome).length;
  const [passed, failed] = [count("passed"), count("failed")];
  const { claim, refused } = claimOf(run, failOnWarning);
  return {
    aaep_spec_version: SPECIFICATION_VERSION,
    suite_version: SUITE_VERSION,
    conformance_level: run.level,
    endpoint: run.target.endpoint,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    duration_seconds: secondsBetween(run.startedAt, run.completedAt),
    verdict: verdictOf(run, failures.length, passed + failed),
    claim,
    claim_refused: refused,
    tests_run: results.length,
    tests_passed: passed,
    tests_failed: failed,
    tests_skipped: count("skipped"),
    pass_rate: passRate(passed, passed + failed),
    metadata: {
      target_kind: run.target.role,
      target_name: run.target.name,
      profile: null,
      filter: run.chosen?.join(",") ?? null,
      fail_on_warning: failOnWarning,
      aaep_spec_version: SPECIFICATION_VERSION,
      suite_version: SUITE_VERSION,
      extensions: [...run.extensions],
    },
    test_results: results,
    failures,
  };
}

function testResult({ about, verdict, durationMs }: CaseResult) {
  const failed = verdict.kind === "failed" ? verdict : undefined;
  return {
    test_id: about.id,
    description: about.title,
    passed: verdict.kind === "passed",
    severity: verdict.kind === "skipped" ? "info" : about.severity,
    message: verdict.kind === "skipped" ? verdict.reason : (failed?.seen ?? "The case passed."),
    expected: failed?.expected ?? null,
    actual: failed?.seen ?? null,
    duration_ms: Math.max(0, Math.round(durationMs)),
    spec_reference: about.paragraphs.join(", "),
    outcome: verdict.kind,
    role: about.role,
    level: about.level,
    extension: about.extension ?? null,
    evidence: (failed?.evidence ?? []).map(({ note, text }) => ({ note, text: text ?? null })),
  };
}

/** A run of a whole level in which all cases of one level were skipped has not passed. */
function verdictOf(run: SuiteRun, failures: number, judged: number): ReportVerdict {
  if (failures > 0) return "FAIL";
  const isLevelUnseen = levelWithout(run, ({ verdict }) => verdict.kind !== "skipped") !== undefined;
  return judged === 0 || (run.chosen === undefined && isLevelUnseen) ? "SKIPPED" : "PASS";
}

/** Rounded down, so that a run in which something failed never shows 1. */
function passRate(passed: number, judged: number): number | null {
  return judged === 0 ? null : Math.floor((passed * 1000) / judged) / 1000;
}

function secondsBetween(from: string, to: string): number {
  const milliseconds = Date.parse(to) - Date.parse(from);
  // A clock that was set back makes no negative duration.
  return milliseconds > 0 ? milliseconds / 1000 : 0;
}
