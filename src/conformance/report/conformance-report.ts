// The report as it stands in conformance-report.json (AAEP §9.7). The field names are those of the published suite, which has underscores.
import type { Level, Role } from "../findings/finding.js";

/** FAIL: a case failed that counts. SKIPPED: all cases were skipped, or all cases of one level. */
export type ReportVerdict = "PASS" | "FAIL" | "SKIPPED";

export type Outcome = "passed" | "failed" | "skipped";

/** Something that a failed case saw, or missed. */
export interface ReportedEvidence {
  readonly note: string;
  /** Null: nothing was there. */
  readonly text: string | null;
}

/** The result of one case. */
export interface TestResult {
  readonly test_id: string;
  /** The rule as one sentence. */
  readonly description: string;
  /** False also for a skipped case, as the published suite has it. `outcome` tells the two apart. */
  readonly passed: boolean;
  /** "error": a MUST. "warning": a SHOULD. "info": the case was skipped. */
  readonly severity: "error" | "warning" | "info";
  /** One sentence for people: how it went, what was seen, or why the case was skipped. */
  readonly message: string;
  /** Null unless the case failed. */
  readonly expected: string | null;
  /** Null unless the case failed. */
  readonly actual: string | null;
  /** Whole milliseconds. */
  readonly duration_ms: number;
  /** Paragraphs, the main one first, separated by commas. */
  readonly spec_reference: string;
  readonly outcome: Outcome;
  readonly role: Role;
  readonly level: Level;
  /** The set of a case that is no part of a level. */
  readonly extension: string | null;
  /** Empty unless the case failed. */
  readonly evidence: readonly ReportedEvidence[];
}

/** The target, and how the run was asked for. */
interface ReportMetadata {
  readonly target_kind: Role;
  readonly target_name: string;
  /** Always null: the suite has no cases of profiles (AAEP §9.6). */
  readonly profile: null;
  /** The ids of chosen cases, separated by commas. Null: all cases of the level. */
  readonly filter: string | null;
  /** Whether a failed SHOULD makes the verdict FAIL. */
  readonly fail_on_warning: boolean;
  readonly aaep_spec_version: string;
  readonly suite_version: string;
  readonly extensions: readonly string[];
}

/** A whole report. Either `claim` or `claim_refused` is null, never both. */
export interface ConformanceReport {
  readonly aaep_spec_version: string;
  readonly suite_version: string;
  readonly conformance_level: Level;
  readonly endpoint: string;
  /** RFC 3339, UTC. */
  readonly started_at: string;
  /** RFC 3339, UTC. */
  readonly completed_at: string;
  readonly duration_seconds: number;
  readonly verdict: ReportVerdict;
  /** The sentences that the target's maker may publish (AAEP §9.8). */
  readonly claim: string | null;
  /** Why there is no claim. */
  readonly claim_refused: string | null;
  /** All cases, skipped ones included. */
  readonly tests_run: number;
  readonly tests_passed: number;
  /** Failed cases, warnings included. `failures` has those that count. */
  readonly tests_failed: number;
  readonly tests_skipped: number;
  /** Passed cases among those that passed or failed, 0 to 1, rounded down to a tenth of a percent. Null: none passed or failed. */
  readonly pass_rate: number | null;
  readonly metadata: ReportMetadata;
  /** In the order of the table of requirements. */
  readonly test_results: readonly TestResult[];
  /** The results that make the verdict FAIL. */
  readonly failures: readonly TestResult[];
}
