// The committed reports about the daemon itself, and the manifest that names them.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SUITE_VERSION } from "../../src/conformance/findings/finding.js";
import type { ConformanceReport } from "../../src/conformance/report/conformance-report.js";
import { CONFORMANCE_CLAIM } from "../../src/daemon/presence/conformance-claim.js";

const read = (path: string): ConformanceReport => JSON.parse(readFileSync(path, "utf8"));
const TRANSPORTS = readdirSync("docs/conformance");

it("there is a report for each transport", () => {
  expect([...TRANSPORTS].sort()).toEqual(["connect", "grpc", "stdio", "unix-socket"]);
});

it.each(TRANSPORTS)("%s: nothing failed, and the report makes a claim for this suite", (transport) => {
  const report = read(`docs/conformance/${transport}/conformance-report.json`);
  expect(report).toMatchObject({ verdict: "PASS", conformance_level: 3, suite_version: SUITE_VERSION, failures: [] });
  expect(report.claim).toMatch(/^aaepd passes the aaepd suite /);
});

it("the manifest says what the report says, and names no place that its readers cannot reach", () => {
  const { suite_version, conformance_level, completed_at } = read(
    "docs/conformance/unix-socket/conformance-report.json",
  );
  const { suite_version: version, level, date } = CONFORMANCE_CLAIM;
  expect([version, level, date]).toEqual([suite_version, conformance_level, completed_at.slice(0, 10)]);
  expect(JSON.stringify(CONFORMANCE_CLAIM)).not.toMatch(/[\\/]/);
});
