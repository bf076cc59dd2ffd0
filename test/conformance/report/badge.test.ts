import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { badgeSvg } from "../../../src/conformance/report/badge.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { visibleLine, visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { type MarkupReader, type Seen, shapeOf, startMarkupReader, textsOf, valuesOf } from "./markup-reader.js";
import { FAILED, hostileRun, MIXED, PASSED, plainOf, result, runOf, SKIPPED } from "./runs.js";

let reader: MarkupReader;
beforeAll(() => {
  reader = startMarkupReader();
});
afterAll(() => reader.close());

function badgeOf(...given: Parameters<typeof reportJson>): Promise<readonly Seen[]> {
  return reader.read("xml", badgeSvg(reportJson(...given)));
}

const PASSING = result("P1-a", PASSED);
const WARNING = result("P1-b", FAILED, { severity: "warning" });
const good = result("X-a", PASSED, { extension: "good" });
const bad = result("X-b", FAILED, { extension: "bad" });
const unseen = result("X-c", SKIPPED, { extension: "unseen" });

describe("the badge", () => {
  it.each([
    ["level 3", runOf([PASSING])],
    ["level 1", runOf([PASSING, WARNING], { level: 1 })],
    [
      "level 2 + good, not bad",
      runOf([PASSING, good, bad, unseen], { level: 2, extensions: ["good", "bad", "unseen"] }),
    ],
    ["fails", MIXED],
    ["not judged", runOf([])],
    ["no claim", runOf([PASSING], { chosen: ["P1-a"] })],
  ])("says %j", async (words, run) => {
    const seen = await badgeOf(run);
    expect(textsOf(seen, "text")).toEqual(["aaepd suite", words]);
    expect(valuesOf(seen, "svg", "aria-label")).toEqual([`aaepd suite: ${words}`]);
    expect(valuesOf(seen, "svg", "role")).toEqual(["img"]);
    const { claim, claim_refused } = reportJson(run);
    expect(textsOf(seen, "title")).toEqual([claim ?? `aaepd suite: ${words}. ${claim_refused ?? ""}`]);
  });

  it("has a colour for each of the three, beside its words", async () => {
    const colors: (string | undefined)[] = [];
    for (const run of [runOf([PASSING]), MIXED, runOf([])])
      colors.push(valuesOf(await badgeOf(run), "rect", "fill")[1]);
    expect(new Set(colors).size).toBe(3);
  });

  it("says nothing of a level where a warning refuses the claim", async () => {
    expect(textsOf(await badgeOf(runOf([PASSING, WARNING]), { failOnWarning: true }), "text")[1]).toBe("no claim");
  });

  it("is as wide as its texts", async () => {
    const seen = await badgeOf(runOf([PASSING]));
    const widths = valuesOf(seen, "rect", "width").map(Number);
    const lengths = valuesOf(seen, "text", "textLength").map(Number);
    expect(lengths).toEqual(widths.map((width) => width - 16));
    expect(valuesOf(seen, "text", "x").map(Number)).toEqual([8, (widths[0] ?? 0) + 8]);
    const width = (widths[0] ?? 0) + (widths[1] ?? 0);
    expect(valuesOf(seen, "svg", "width")).toEqual([String(width)]);
    expect(valuesOf(seen, "svg", "viewBox")).toEqual([`0 0 ${width} 20`]);
    for (const [index, text] of textsOf(seen, "text").entries()) expect(lengths[index]).toBe(text.length * 7);
  });

  it("is XML with the same elements, whatever the target calls itself", async () => {
    await fc.assert(
      fc.asyncProperty(hostileRun, async (run) => {
        const withPass = { ...run, results: [result("P1-a", PASSED), ...run.results] };
        const seen = await badgeOf(withPass);
        expect(shapeOf(seen)).toEqual(shapeOf(await badgeOf(plainOf(withPass))));
        const { claim } = reportJson(withPass);
        if (claim !== null) expect(textsOf(seen, "title")).toEqual([visibleText(claim)]);
        for (const text of textsOf(seen, "text")) expect(text).toBe(visibleLine(text));
      }),
      { numRuns: casesOf(500) },
    );
  });
});
