import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportHtml } from "../../../src/conformance/report/report-html.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { type Seen, shapeOf, sharedMarkupReader, textsOf, valuesOf } from "./markup-reader.js";
import { hostileRun, MIXED, PASSED, plainOf, result, runOf, SKIPPED } from "./runs.js";

const read = sharedMarkupReader();

function pageOf(...given: Parameters<typeof reportJson>): Promise<readonly Seen[]> {
  return read("html", reportHtml(reportJson(...given)));
}

const startsOf = (seen: readonly Seen[], name: string) => seen.filter((one) => one[0] === "start" && one[1] === name);

describe("the page", () => {
  it("has its language, its landmarks, one h1, and headings in order", async () => {
    const seen = await pageOf(MIXED);
    expect(valuesOf(seen, "html", "lang")).toEqual(["en"]);
    for (const landmark of ["header", "nav", "main", "footer", "h1"]) expect(startsOf(seen, landmark)).toHaveLength(1);
    const levels = seen.flatMap((one) => (one[0] === "start" && /^h[1-6]$/.test(one[1]) ? [Number(one[1][1])] : []));
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    expect(textsOf(seen, "h2")).toEqual(["Summary", "Failed cases", "Skipped cases", "All cases"]);
  });

  it("stands alone: no script, nothing that is loaded", async () => {
    const seen = await pageOf(MIXED);
    for (const name of ["script", "link", "img", "iframe", "object", "form"]) expect(startsOf(seen, name)).toEqual([]);
    for (const attribute of ["src", "onclick", "onload"])
      expect(seen.filter((one) => one[0] === "start" && attribute in one[2])).toEqual([]);
    for (const link of valuesOf(seen, "a", "href")) expect(link).toMatch(/^#/);
    expect(textsOf(seen, "style").join("")).not.toMatch(/url\(|@import/);
  });

  it("every link leads to a place of the page, and no place is there twice", async () => {
    const seen = await pageOf(MIXED);
    const ids = seen.flatMap((one) => (one[0] === "start" && one[2].id ? [one[2].id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const links = valuesOf(seen, "a", "href");
    expect(links).toHaveLength(4 + 4);
    for (const link of links) expect(ids).toContain(link.slice(1));
    for (const [name, attribute] of [
      ["section", "aria-labelledby"],
      ["article", "aria-labelledby"],
    ] as const)
      for (const id of valuesOf(seen, name, attribute)) expect(ids).toContain(id);
  });

  it("the table names its columns and rows, and says each verdict in words", async () => {
    const seen = await pageOf(MIXED);
    expect(textsOf(seen, "caption")).toEqual(["All cases, in the order of the table of requirements"]);
    expect(valuesOf(seen, "th", "scope").filter((scope) => scope === "col")).toHaveLength(6);
    expect(valuesOf(seen, "th", "scope").filter((scope) => scope === "row")).toHaveLength(5);
    expect(startsOf(seen, "th")).toHaveLength(11);
    expect(textsOf(seen, "tr").slice(1)).toEqual([
      "P1-envelopeThe producer keeps the rule P1-envelope.AAEP §5.5.2, AAEP §9.5.1level 1requiredpassed",
      "P1-summaryThe producer keeps the rule P1-summary.AAEP §5.5.2, AAEP §9.5.1level 1recommendedfailed (recommended)",
      "P2-token-onceThe producer keeps the rule P2-token-once.AAEP §5.5.2, AAEP §9.5.1level 2not judgedskipped",
      "P3-rate-limitThe producer keeps the rule P3-rate-limit.AAEP §5.5.2, AAEP §9.5.1level 3requiredfailed",
      "X-duplicateThe producer keeps the rule X-duplicate.AAEP §5.5.2, AAEP §9.5.1extension set aaepdrequiredfailed",
    ]);
  });

  it("tells of each failed case, of each skipped one, and sums up", async () => {
    const seen = await pageOf(MIXED);
    expect(textsOf(seen, "h3")).toEqual([
      "P1-summary: failed (recommended)",
      "P3-rate-limit: failed",
      "X-duplicate: failed",
    ]);
    expect(textsOf(seen, "article")[1]?.replace(/\s+/g, " ").trim()).toBe(
      "P3-rate-limit: failed The producer keeps the rule P3-rate-limit. " +
        "ExpectedAt most 10 events arrive in a second. Seen12 events arrived. ParagraphsAAEP §5.5.2, AAEP §9.5.1 " +
        'Evidence received {"type":"aaep:agent.state.changed"} No close came.',
    );
    const terms = textsOf(seen, "dt");
    const details = textsOf(seen, "dd");
    const detailOf = (term: string) => details[terms.indexOf(term)];
    expect(detailOf("P2-token-once")).toBe("The target asks no questions.");
    expect(terms.slice(0, 12).map((term) => [term, detailOf(term)])).toEqual([
      ["Verdict", "fails"],
      ["Tested", "producer, at unix:/run/teller.sock"],
      ["Level", "3"],
      ["Extension sets", "aaepd"],
      ["Chosen cases", "all of the level"],
      ["Passed", "1 of 5"],
      ["Failed", "3, of which 1 recommended only"],
      ["Skipped", "1"],
      ["Pass rate", "25.0 % of the judged cases, skipped ones left out"],
      ["Started", "2026-11-21T09:00:00.000Z"],
      ["Completed", "2026-11-21T09:00:41.250Z"],
      ["Duration", "41.25 seconds"],
    ]);
    expect(textsOf(seen, "header")[0]).toContain("There is no claim. 1 required case of the level failed");
  });

  it("shows the claim, and says where there is nothing to tell", async () => {
    const run = runOf([result("P1-a", PASSED)], { chosen: undefined });
    const seen = await pageOf(run);
    expect(textsOf(seen, "header")[0]).toContain(reportJson(run).claim);
    expect(textsOf(seen, "p")).toEqual(expect.arrayContaining(["No case failed.", "No case was skipped."]));
    expect(textsOf(seen, "dd")).toEqual(expect.arrayContaining(["passes", "none"]));
    const chosen = await pageOf(runOf([result("P1-a", SKIPPED)], { chosen: ["P1-a"] }));
    expect(textsOf(chosen, "dd").slice(0, 5)).toEqual([
      "nothing was judged",
      "producer, at unix:/run/teller.sock",
      "3",
      "none",
      "P1-a",
    ]);
    expect(textsOf(chosen, "dd")[8]).toBe("nothing was judged");
    const empty = await pageOf(runOf([]));
    expect(textsOf(empty, "p")).toContain("There is no case.");
    expect(startsOf(empty, "table")).toEqual([]);
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
