import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SPECIFICATION_VERSION, SUITE_VERSION } from "../../../src/conformance/findings/finding.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { casesOf } from "../../support/extent.js";
import { FAILED, hostileRun, MIXED, PASSED, result, runOf, SKIPPED } from "./runs.js";

interface ObjectSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}
interface ReportSchema extends ObjectSchema {
  readonly $id: string;
  readonly $schema: string;
  readonly $defs: Readonly<Record<"metadata" | "result" | "evidence", ObjectSchema>>;
}

const schema = JSON.parse(
  readFileSync(new URL("../../../schemas/conformance/conformance-report.schema.json", import.meta.url), "utf8"),
) as ReportSchema;
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  allErrors: true,
  formats: { "date-time": fullFormats["date-time"] },
});
const validate = ajv.compile(schema);

function complaintsAbout(report: unknown): readonly unknown[] {
  validate(JSON.parse(JSON.stringify(report)));
  return validate.errors ?? [];
}

describe("the report", () => {
  it("AAEP §9.7: has the published names, and says everything of every case", () => {
    const report = reportJson(MIXED);
    expect(report).toMatchObject({
      aaep_spec_version: SPECIFICATION_VERSION,
      suite_version: SUITE_VERSION,
      conformance_level: 3,
      endpoint: "unix:/run/teller.sock",
      started_at: "2026-11-21T09:00:00.000Z",
      completed_at: "2026-11-21T09:00:41.250Z",
      duration_seconds: 41.25,
      verdict: "FAIL",
      claim: null,
      claim_refused: "1 required case of the level failed: P3-rate-limit.",
      tests_run: 5,
      tests_passed: 1,
      tests_failed: 3,
      tests_skipped: 1,
      pass_rate: 0.25,
      metadata: {
        target_kind: "producer",
        target_name: "Teller",
        profile: null,
        filter: null,
        fail_on_warning: false,
        aaep_spec_version: SPECIFICATION_VERSION,
        suite_version: SUITE_VERSION,
        extensions: ["aaepd"],
      },
    });
    expect(report.test_results[0]).toEqual({
      test_id: "P1-envelope",
      description: "The producer keeps the rule P1-envelope.",
      passed: true,
      severity: "error",
      message: "The case passed.",
      expected: null,
      actual: null,
      duration_ms: 12,
      spec_reference: "AAEP §5.5.2, AAEP §9.5.1",
      outcome: "passed",
      role: "producer",
      level: 1,
      extension: null,
      evidence: [],
    });
    expect(report.test_results[2]).toMatchObject({
      passed: false,
      severity: "info",
      outcome: "skipped",
      message: "The target asks no questions.",
      expected: null,
      actual: null,
      evidence: [],
    });
    expect(report.test_results[4]).toMatchObject({
      passed: false,
      severity: "error",
      outcome: "failed",
      extension: "aaepd",
      message: "12 events arrived.",
      expected: "At most 10 events arrive in a second.",
      actual: "12 events arrived.",
      evidence: [
        { note: "received", text: '{"type":"aaep:agent.state.changed"}' },
        { note: "No close came.", text: null },
      ],
    });
    expect(report.failures).toEqual([report.test_results[3], report.test_results[4]]);
  });

  it.each([
    ["a required case of the level", result("P1-a", FAILED), "FAIL"],
    ["a recommended case", result("P1-a", FAILED, { severity: "warning" }), "PASS"],
    ["a case of a higher level", result("P3-a", FAILED, { level: 3 }), "PASS"],
    ["a case of a set that was asked for", result("X-a", FAILED, { extension: "aaepd" }), "FAIL"],
    ["a case of a set that was not asked for", result("X-a", FAILED, { extension: "other" }), "PASS"],
  ] as const)("AAEP §9.7: where %s fails, the verdict follows", (_, failed, verdict) => {
    const report = reportJson(runOf([result("P1-b", PASSED), failed], { level: 2, extensions: ["aaepd"] }));
    expect(report.verdict).toBe(verdict);
    expect(report.failures.map(({ test_id }) => test_id)).toEqual(verdict === "FAIL" ? [failed.about.id] : []);
    expect(report.tests_failed).toBe(1);
  });

  it("where warnings count, a recommended case fails the verdict as a required one does", () => {
    const warned = result("P1-a", FAILED, { severity: "warning" });
    const other = result("X-a", FAILED, { severity: "warning", extension: "other" });
    const report = reportJson(runOf([result("P1-b", PASSED), warned, other]), { failOnWarning: true });
    expect(report).toMatchObject({
      verdict: "FAIL",
      claim: null,
      failures: [{ test_id: "P1-a", severity: "warning" }],
    });
  });

  it("a chosen case counts whatever its level", () => {
    const report = reportJson(runOf([result("P3-a", FAILED, { level: 3 })], { level: 1, chosen: ["P3-a", "P1-b"] }));
    expect(report.verdict).toBe("FAIL");
    expect(report.metadata.filter).toBe("P3-a,P1-b");
  });

  it("where nothing passed or failed, the verdict is SKIPPED, and there is no rate", () => {
    for (const results of [[], [result("P1-a", SKIPPED)]])
      expect(reportJson(runOf(results))).toMatchObject({ verdict: "SKIPPED", pass_rate: null, tests_passed: 0 });
    const warned = reportJson(runOf([result("P1-a", FAILED, { severity: "warning" })]));
    expect(warned).toMatchObject({ verdict: "PASS", pass_rate: 0 });
  });

  it("the rate leaves skipped cases out, and is rounded down", () => {
    const passed = (count: number) => Array.from({ length: count }, (_, index) => result(`P1-${index}`, PASSED));
    const failed = result("P1-f", FAILED);
    expect(reportJson(runOf([...passed(2), failed, result("P1-s", SKIPPED)])).pass_rate).toBe(0.666);
    expect(reportJson(runOf([...passed(2999), failed])).pass_rate).toBe(0.999);
    expect(reportJson(runOf(passed(3))).pass_rate).toBe(1);
  });

  it("no duration is negative or fractional, whatever the clocks did", () => {
    const { about } = result("P1-a", PASSED);
    const back = { startedAt: "2026-11-21T09:00:01.000Z", completedAt: "2026-11-21T09:00:00.000Z" };
    const report = reportJson(runOf([{ about, verdict: PASSED, durationMs: -0.7 }], back));
    expect(report.duration_seconds).toBe(0);
    expect(report.test_results[0]?.duration_ms).toBe(0);
  });
});

describe("the schema", () => {
  it("has its id, and every field of a report is in it and required", () => {
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema.$id).toBe("https://aaepd.dev/schemas/conformance/v1/conformance-report.schema.json");
    const report = reportJson(MIXED);
    const failed = report.failures[0];
    for (const [value, { required, properties }] of [
      [report, schema],
      [report.metadata, schema.$defs.metadata],
      [failed, schema.$defs.result],
      [failed?.evidence[0], schema.$defs.evidence],
    ] as const) {
      const fields = Object.keys(value ?? {}).sort();
      expect(fields.length).toBeGreaterThan(0);
      expect([...required].sort()).toEqual(fields);
      expect(Object.keys(properties).sort()).toEqual(fields);
    }
  });

  it("accepts every report", () => {
    expect(complaintsAbout(reportJson(MIXED, { failOnWarning: true }))).toEqual([]);
    fc.assert(
      fc.property(hostileRun, fc.boolean(), fc.boolean(), (run, failOnWarning, isChosen) => {
        const chosen = isChosen ? run.results.map(({ about }) => about.id) : undefined;
        expect(complaintsAbout(reportJson({ ...run, chosen }, { failOnWarning }))).toEqual([]);
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it("refuses a report that contradicts itself", () => {
    const report = reportJson(MIXED);
    const [first, second, third] = report.test_results;
    for (const wrong of [
      { ...report, verdict: "PASS" },
      { ...report, verdict: "SKIPPED" },
      { ...report, verdict: "pass" },
      { ...report, failures: [] },
      { ...report, failures: [{ ...second, severity: "warning" }] },
      { ...report, claim: "Teller passes." },
      { ...report, claim_refused: null },
      { ...report, pass_rate: null },
      { ...report, pass_rate: 25 },
      { ...report, conformance_level: 4 },
      { ...report, started_at: "yesterday" },
      { ...report, test_results: [{ ...first, passed: false }] },
      { ...report, test_results: [{ ...first, expected: "More." }] },
      { ...report, test_results: [{ ...second, actual: null }] },
      { ...report, test_results: [{ ...third, passed: true }] },
      { ...report, test_results: [{ ...third, severity: "error" }] },
      { ...report, metadata: { ...report.metadata, profile: "medical" } },
    ])
      expect(complaintsAbout(wrong)).not.toEqual([]);
  });
});
