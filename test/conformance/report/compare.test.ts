import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CaseResult, SuiteRun, Verdict } from "../../../src/conformance/findings/finding.js";
import { compareReports } from "../../../src/conformance/report/compare.js";
import { comparisonLines } from "../../../src/conformance/report/comparison-lines.js";
import { type ReportOptions, reportJson } from "../../../src/conformance/report/report-json.js";
import { casesOf } from "../../support/extent.js";
import { FAILED, hostileRun, hostileText, MIXED, PASSED, result, runOf, SKIPPED } from "./runs.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const MOVING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function compare(before: SuiteRun, after: SuiteRun, options: ReportOptions = {}) {
  return compareReports(reportJson(before), reportJson(after, options));
}

/** Another run of the same target: later, elsewhere, and with other bytes. */
function again(run: SuiteRun, text: string): SuiteRun {
  return {
    ...run,
    target: { ...run.target, endpoint: text },
    startedAt: "2027-01-02T03:04:05.000Z",
    completedAt: "2027-01-02T03:05:05.000Z",
    results: run.results
      .map(({ about, verdict }) => ({ about, verdict: otherBytes(verdict, text), durationMs: 4321 }))
      .reverse(),
  };
}

function otherBytes(verdict: Verdict, text: string): Verdict {
  switch (verdict.kind) {
    case "passed":
      return verdict;
    case "failed":
      return { ...verdict, seen: text, evidence: [{ note: text }] };
    case "skipped":
      return { ...verdict, reason: text };
  }
}

describe("two reports", () => {
  it("say the same for two runs of one target", () => {
    fc.assert(
      fc.property(hostileRun, hostileText, (run, text) => {
        const comparison = compare(run, again(run, text));
        expect(comparison.isSame).toBe(true);
        expect(comparisonLines(comparison)).toEqual(["The reports say the same."]);
      }),
      { numRuns: casesOf(500) },
    );
    expect(compareReports(reportJson(MIXED), JSON.parse(JSON.stringify(reportJson(MIXED)))).isSame).toBe(true);
  });

  it("tell what changed, the worst first", () => {
    const before = runOf([
      result("a", PASSED),
      result("b", FAILED),
      result("c", PASSED),
      result("d", PASSED),
      result("e", SKIPPED),
    ]);
    const after = runOf([
      result("a", FAILED),
      result("b", PASSED),
      result("c", SKIPPED),
      result("e", FAILED),
      result("f", PASSED),
    ]);
    const comparison = compare(before, after);
    expect(comparison).toEqual({
      isSame: false,
      newlyFailing: [
        { testId: "a", before: "passed", after: "failed" },
        { testId: "e", before: "skipped", after: "failed" },
      ],
      newlyPassing: [{ testId: "b", before: "failed", after: "passed" }],
      newlySkipped: [{ testId: "c", before: "passed", after: "skipped" }],
      gone: [{ testId: "d", before: "passed", after: null }],
      added: [{ testId: "f", before: null, after: "passed" }],
      otherwise: [],
    });
    expect(comparisonLines(comparison)).toEqual([
      "newly failing: a (was passed)",
      "newly failing: e (was skipped)",
      "newly skipped: c (was passed)",
      "gone: d (was passed)",
      "new: f (passed)",
      "newly passing: b (was failed)",
    ]);
  });

  const one = runOf([result("P1-a", PASSED), result("P1-b", FAILED, { severity: "warning" })], { level: 1 });
  const target = one.target;
  const rule = (change: Partial<CaseResult["about"]>, verdict: Verdict = PASSED): Partial<SuiteRun> => ({
    results: [result("P1-a", verdict, change), ...one.results.slice(1)],
  });
  it.each([
    [
      { level: 2, results: one.results.slice(1) },
      {},
      [
        "The reports are of different levels, 1 and 2. A case of the higher level alone is gone or new.",
        "gone: P1-a (was passed)",
        'changed: claim, "made" → "refused"',
      ],
    ],
    [{ target: { ...target, name: "Other" } }, {}, ['changed: target_name, "Teller" → "Other"']],
    [{ extensions: ["x", "aaepd"] }, {}, ['changed: extensions, "" → "aaepd,x"']],
    [{ chosen: ["P1-a"] }, {}, ['changed: claim, "made" → "refused"', 'changed: filter, "none" → "P1-a"']],
    [
      {},
      { failOnWarning: true },
      [
        'changed: verdict, "PASS" → "FAIL"',
        'changed: claim, "made" → "refused"',
        'changed: fail_on_warning, "false" → "true"',
      ],
    ],
    [rule({ title: "Other." }), {}, ['changed: P1-a description, "The producer keeps the rule P1-a." → "Other."']],
    [rule({ severity: "warning" }), {}, ['changed: P1-a severity, "error" → "warning"']],
    [rule({ paragraphs: ["AAEP §3"] }), {}, ['changed: P1-a spec_reference, "AAEP §5.5.2, AAEP §9.5.1" → "AAEP §3"']],
    [rule({ level: 2 }), {}, ['changed: claim, "made" → "refused"', 'changed: P1-a level, "1" → "2"']],
    [
      rule({ extension: "aaepd" }),
      {},
      ['changed: claim, "made" → "refused"', 'changed: P1-a extension, "none" → "aaepd"'],
    ],
    [
      rule({}, FAILED),
      {},
      ["newly failing: P1-a (was passed)", 'changed: verdict, "PASS" → "FAIL"', 'changed: claim, "made" → "refused"'],
    ],
    [{ target: { ...target, role: "subscriber" } }, {}, ['changed: target_kind, "producer" → "subscriber"']],
    [rule({ role: "subscriber" }), {}, ['changed: P1-a role, "producer" → "subscriber"']],
  ] as const)("%#: differ by what lasts", (changes, options, lines) => {
    const comparison = compare(one, { ...one, ...changes }, options);
    expect(comparison.isSame).toBe(false);
    expect(comparisonLines(comparison)).toEqual(lines);
  });

  it("differ by the suite's version, the specification's, and by what a failed case expects", () => {
    const report = reportJson(MIXED);
    const expected = report.test_results.map((one) => (one.expected === null ? one : { ...one, expected: "More." }));
    const { otherwise } = compareReports(report, {
      ...report,
      suite_version: "9.0.0",
      aaep_spec_version: "2.0.0",
      test_results: expected,
    });
    expect(otherwise.map(({ testId, field }) => [testId, field])).toEqual([
      [null, "aaep_spec_version"],
      [null, "suite_version"],
      ["P1-summary", "expected"],
      ["P3-rate-limit", "expected"],
      ["X-duplicate", "expected"],
    ]);
  });

  it("a case that is skipped or fails in the other report changes in nothing else", () => {
    for (const verdict of [SKIPPED, FAILED]) {
      const { otherwise } = compare(
        runOf([result("P1-a", PASSED), result("P1-b", PASSED)]),
        runOf([result("P1-a", verdict), result("P1-b", PASSED)]),
      );
      expect(otherwise.filter(({ testId }) => testId !== null)).toEqual([]);
    }
  });

  it("are told in lines that move no cursor, whatever they say", () => {
    fc.assert(
      fc.property(hostileRun, hostileRun, (before, after) => {
        for (const line of comparisonLines(compare(before, after))) expect(line).not.toMatch(MOVING);
      }),
      { numRuns: casesOf(500) },
    );
  });
});
