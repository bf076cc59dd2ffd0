// The committed report about the daemon itself, and the manifest that names it.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SUITE_VERSION } from "../../src/conformance/findings/finding.js";
import type { ConformanceReport } from "../../src/conformance/report/report-json.js";
import { CONFORMANCE_CLAIM } from "../../src/daemon/presence/manifest.js";

const REPORT: ConformanceReport = JSON.parse(readFileSync("docs/conformance/conformance-report.json", "utf8"));

it("nothing failed, and the report makes a claim for this suite", () => {
  expect(REPORT).toMatchObject({ verdict: "PASS", conformance_level: 3, suite_version: SUITE_VERSION, failures: [] });
  expect(REPORT.claim).toMatch(/^aaepd passes the aaepd suite /);
});

it("the manifest says what the report says, and names no place that its readers cannot reach", () => {
  const { suite_version, conformance_level, completed_at } = REPORT;
  const { suite_version: version, level, date } = CONFORMANCE_CLAIM;
  expect([version, level, date]).toEqual([suite_version, conformance_level, completed_at.slice(0, 10)]);
  expect(JSON.stringify(CONFORMANCE_CLAIM)).not.toMatch(/[\\/]/);
});
