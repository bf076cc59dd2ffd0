import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportHtml } from "../../../src/conformance/report/report-html.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { type Seen, shapeOf, sharedMarkupReader, textsOf, valuesOf } from "./markup-reader.js";
import { hostileRun, MIXED, PASSED, plainOf, result, runOf } from "./runs.js";

const read = sharedMarkupReader();

function pageOf(...given: Parameters<typeof reportJson>): Promise<readonly Seen[]> {
  return read("html", reportHtml(reportJson(...given)));
}

const startsOf = (seen: readonly Seen[], name: string) => seen.filter((one) => one[0] === "start" && one[1] === name);

describe("the page", () => {
  it("has its language and its headings, and stands alone", async () => {
    const seen = await pageOf(MIXED);
    expect(valuesOf(seen, "html", "lang")).toEqual(["en"]);
    for (const one of ["main", "h1"]) expect(startsOf(seen, one)).toHaveLength(1);
    expect(textsOf(seen, "h2")).toEqual(["Failed cases", "All cases"]);
    for (const name of ["script", "link", "img", "iframe", "object", "form", "a"])
      expect(startsOf(seen, name)).toEqual([]);
    expect(textsOf(seen, "style").join("")).not.toMatch(/url\(|@import/);
  });

  it("sums up, tells of each failed case, and says each verdict in words", async () => {
    const seen = await pageOf(MIXED);
    expect(textsOf(seen, "p")[0]).toContain("There is no claim. 1 required case of the level failed");
    const [terms, details] = [textsOf(seen, "dt"), textsOf(seen, "dd")];
    expect(terms.slice(0, 10).map((term, place) => [term, details[place]])).toEqual([
      ["Verdict", "FAIL"],
      ["Tested", "producer, at unix:/run/teller.sock"],
      ["Suite", expect.stringMatching(/^[\d.]+, made from AAEP [\d.]+$/)],
      ["Level", "3"],
      ["Extension sets", "aaepd"],
      ["Chosen cases", "all of the level"],
      ["Passed", "1 of 5"],
      ["Failed", "3, of which 2 count"],
      ["Skipped", "1"],
      ["Completed", "2026-11-21T09:00:41.250Z, after 41.25 seconds"],
    ]);
    expect(textsOf(seen, "h3")).toEqual([
      "P1-summary: failed (recommended)",
      "P3-rate-limit: failed",
      "X-duplicate: failed",
    ]);
    expect(terms.slice(10, 14)).toEqual(["Expected", "Seen", "received", "No close came."]);
    expect(details.slice(10, 14)).toEqual([
      "At most 10 events arrive in a second.",
      "12 events arrived.",
      '\n{"type":"aaep:agent.state.changed"}',
      "nothing",
    ]);
    expect(textsOf(seen, "tr").slice(1)).toEqual([
      "P1-envelopeThe producer keeps the rule P1-envelope. (AAEP §5.5.2, AAEP §9.5.1)passed",
      "P1-summaryThe producer keeps the rule P1-summary. (AAEP §5.5.2, AAEP §9.5.1)failed (recommended)",
      "P2-token-onceThe producer keeps the rule P2-token-once. (AAEP §5.5.2, AAEP §9.5.1)skipped: The target asks no questions.",
      "P3-rate-limitThe producer keeps the rule P3-rate-limit. (AAEP §5.5.2, AAEP §9.5.1)failed",
      "X-duplicateThe producer keeps the rule X-duplicate. (AAEP §5.5.2, AAEP §9.5.1)failed",
    ]);
  });

  it("shows the claim, and says where no case failed", async () => {
    const run = runOf([result("P1-a", PASSED)]);
    const texts = textsOf(await pageOf(run), "p");
    expect(texts).toEqual([reportJson(run).claim, "No case failed."]);
    expect(textsOf(await pageOf({ ...run, chosen: ["P1-a"] }), "dd")).toContain("P1-a");
  });
});

describe("whatever a target sends", () => {
  it("the page has the same elements, and each text is read back", async () => {
    await fc.assert(
      fc.asyncProperty(hostileRun, async (run) => {
        const seen = await pageOf(run);
        expect(shapeOf(seen)).toEqual(shapeOf(await pageOf(plainOf(run))));
        const failed = run.results.flatMap(({ verdict }) => (verdict.kind === "failed" ? [verdict] : []));
        const sent = failed.flatMap(({ evidence }) => evidence.flatMap(({ text }) => text ?? []));
        // A parser drops the line feed behind `<pre>`; this one keeps it.
        expect(textsOf(seen, "pre")).toEqual(sent.map((text) => `\n${visibleText(text)}`));
        expect(textsOf(seen, "bdi")).toEqual([visibleText(run.target.name)]);
        const details = textsOf(seen, "dd");
        for (const { expected, seen: actual } of failed)
          expect(details).toEqual(expect.arrayContaining([visibleText(expected), visibleText(actual)]));
      }),
      { numRuns: casesOf(500) },
    );
  });
});
