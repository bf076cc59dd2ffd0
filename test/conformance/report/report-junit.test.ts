import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SUITE_VERSION } from "../../../src/conformance/findings/finding.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { reportJunit } from "../../../src/conformance/report/report-junit.js";
import { visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { type Seen, shapeOf, sharedMarkupReader, textsOf, valuesOf } from "./markup-reader.js";
import { hostileRun, MIXED, plainOf } from "./runs.js";

const read = sharedMarkupReader();

function suiteOf(...given: Parameters<typeof reportJson>): Promise<readonly Seen[]> {
  return read("xml", reportJunit(reportJson(...given)));
}

describe("JUnit's XML", () => {
  it("counts the cases, and names the run", async () => {
    const seen = await suiteOf(MIXED);
    const counts = { tests: "5", failures: "2", errors: "0", skipped: "1", time: "41.25" };
    expect(seen[0]).toEqual(["start", "testsuites", { name: `aaepd suite ${SUITE_VERSION}`, ...counts }]);
    expect(seen.find((one) => one[0] === "start" && one[1] === "testsuite")?.[2]).toEqual({
      name: "Teller, producer, level 3",
      timestamp: "2026-11-21T09:00:00.000Z",
      ...counts,
    });
    expect(valuesOf(seen, "property", "name")).toEqual(["endpoint", "verdict", "claim", "claim_refused", "extensions"]);
    expect(valuesOf(seen, "property", "value")).toEqual([
      "unix:/run/teller.sock",
      "FAIL",
      "",
      "1 required case of the level failed: P3-rate-limit.",
      "aaepd",
    ]);
    const two = await suiteOf({ ...MIXED, extensions: ["aaepd", "other"] });
    expect(valuesOf(two, "property", "value")[4]).toBe("aaepd,other");
  });

  it("has a test for each case, with failures and reasons", async () => {
    const seen = await suiteOf(MIXED);
    expect(valuesOf(seen, "testcase", "classname")).toEqual([
      "producer.level1",
      "producer.level1",
      "producer.level2",
      "producer.level3",
      "producer.extension.aaepd",
    ]);
    expect(valuesOf(seen, "testcase", "name")[0]).toBe("P1-envelope: The producer keeps the rule P1-envelope.");
    expect(valuesOf(seen, "testcase", "time")[0]).toBe("0.012");
    expect(valuesOf(seen, "skipped", "message")).toEqual(["The target asks no questions."]);
    expect(valuesOf(seen, "failure", "type")).toEqual(["error", "error"]);
    expect(valuesOf(seen, "failure", "message")).toEqual(["12 events arrived.", "12 events arrived."]);
    expect(textsOf(seen, "failure")[0]).toBe(
      [
        "Rule: The producer keeps the rule P3-rate-limit.",
        "Paragraphs: AAEP §5.5.2, AAEP §9.5.1",
        "Expected: At most 10 events arrive in a second.",
        "Seen: 12 events arrived.",
        "received",
        '{"type":"aaep:agent.state.changed"}',
        "No close came.",
      ].join("\n"),
    );
  });

  it("a failed recommendation is told and passes, unless it was to count", async () => {
    const seen = await suiteOf(MIXED);
    expect(textsOf(seen, "system-out")).toHaveLength(1);
    expect(textsOf(seen, "system-out")[0]).toMatch(/^Failed, and fails nothing \(warning\)\.\nRule: .*P1-summary/);
    const counted = await suiteOf(MIXED, { failOnWarning: true });
    expect(textsOf(counted, "system-out")).toEqual([]);
    expect(valuesOf(counted, "failure", "type")).toEqual(["warning", "error", "error"]);
    expect(valuesOf(counted, "testsuite", "failures")).toEqual(["3"]);
  });

  it("is XML 1.0 with the same elements, whatever a target sends, and each text is read back", async () => {
    await fc.assert(
      fc.asyncProperty(hostileRun, fc.boolean(), async (run, failOnWarning) => {
        const seen = await suiteOf(run, { failOnWarning });
        expect(shapeOf(seen)).toEqual(shapeOf(await suiteOf(plainOf(run), { failOnWarning })));
        const { test_results } = reportJson(run);
        expect(valuesOf(seen, "testcase", "name")).toEqual(
          test_results.map(({ test_id, description }) => visibleText(`${test_id}: ${description}`)),
        );
        expect(valuesOf(seen, "skipped", "message")).toEqual(
          test_results.flatMap(({ outcome, message }) => (outcome === "skipped" ? [visibleText(message)] : [])),
        );
        const told = [...textsOf(seen, "failure"), ...textsOf(seen, "system-out")].join("\n");
        for (const { text } of test_results.flatMap(({ evidence }) => evidence))
          expect(told).toContain(visibleText(text ?? ""));
      }),
      { numRuns: casesOf(500) },
    );
  });
});
