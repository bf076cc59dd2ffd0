import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SuiteRun, Verdict } from "../../../src/conformance/findings/finding.js";
import { compareReports } from "../../../src/conformance/report/compare.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { casesOf } from "../../support/extent.js";
import { FAILED, hostileRun, hostileText, MIXED, PASSED, result, runOf, SKIPPED } from "./runs.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const MOVING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function compare(before: SuiteRun, after: SuiteRun) {
  return compareReports(reportJson(before), reportJson(after));
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
        expect(compare(run, again(run, text))).toEqual([]);
      }),
      { numRuns: casesOf(500) },
    );
    expect(compareReports(reportJson(MIXED), JSON.parse(JSON.stringify(reportJson(MIXED))))).toEqual([]);
  });

  it("tell what changed, failing cases first", () => {
    const before = runOf(["a", "b", "c", "d", "e"].map((id) => result(id, { a: SKIPPED, b: FAILED }[id] ?? PASSED)));
    const after = runOf([
      result("a", FAILED),
      result("b", PASSED),
      result("c", PASSED, { title: "Other." }),
      result("e", FAILED),
      result("f", SKIPPED),
    ]);
    const rule = (id: string) => `(The producer keeps the rule ${id}. AAEP §5.5.2, AAEP §9.5.1)`;
    expect(compare(before, after)).toEqual([
      `a: skipped → failed ${rule("a")}`,
      `e: passed → failed ${rule("e")}`,
      `b: failed → passed ${rule("b")}`,
      `c: passed → passed ${rule("c").replace(")", " → Other. AAEP §5.5.2, AAEP §9.5.1)")}`,
      `d: passed → not there ${rule("d")}`,
      `f: not there → skipped ${rule("f")}`,
    ]);
  });

  it("differ by what holds for the whole report", () => {
    const report = reportJson(runOf([result("P1-a", PASSED)]));
    const { metadata } = report;
    const other = {
      ...report,
      suite_version: "9.0.0",
      aaep_spec_version: "2.0.0",
      conformance_level: 1 as const,
      verdict: "FAIL" as const,
      claim: null,
      metadata: {
        ...metadata,
        target_name: "Other",
        filter: "P1-a",
        fail_on_warning: true,
        extensions: ["x", "aaepd"],
      },
    };
    expect(compareReports(report, other)).toEqual([
      `aaep_spec_version: ${report.aaep_spec_version} → 2.0.0`,
      `suite_version: ${report.suite_version} → 9.0.0`,
      "conformance_level: 3 → 1",
      "verdict: PASS → FAIL",
      "claim: made → refused",
      "target_name: Teller → Other",
      "filter: none → P1-a",
      "fail_on_warning: false → true",
      "extensions:  → aaepd,x",
    ]);
  });

  it("are told in lines that move no cursor, whatever they say", () => {
    fc.assert(
      fc.property(hostileRun, hostileRun, (before, after) => {
        for (const line of compare(before, after)) expect(line).not.toMatch(MOVING);
      }),
      { numRuns: casesOf(500) },
    );
  });
});
