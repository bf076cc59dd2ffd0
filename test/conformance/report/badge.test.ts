import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { badgeSvg } from "../../../src/conformance/report/badge.js";
import { reportJson } from "../../../src/conformance/report/report-json.js";
import { visibleLine, visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { type Seen, shapeOf, sharedMarkupReader, textsOf, valuesOf } from "./markup-reader.js";
import { FAILED, hostileRun, MIXED, PASSED, plainOf, result, runOf, SKIPPED } from "./runs.js";

const read = sharedMarkupReader();

function badgeOf(...given: Parameters<typeof reportJson>): Promise<readonly Seen[]> {
  return read("xml", badgeSvg(reportJson(...given)));
}

const PASSING = result("P1-a", PASSED);
const WARNING = result("P1-b", FAILED, { severity: "warning" });
const good = result("X-a", PASSED, { extension: "good" });
const bad = result("X-b", FAILED, { extension: "bad" });
const unseen = result("X-c", SKIPPED, { extension: "unseen" });

/** WCAG 2.2, "contrast ratio", of a colour as in "#116329". */
function contrastToWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

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

  it("has a colour for each of the three, beside its words, with contrast to white", async () => {
    const fills: string[] = [];
    for (const run of [runOf([PASSING]), MIXED, runOf([])]) fills.push(...valuesOf(await badgeOf(run), "rect", "fill"));
    expect(new Set(fills).size).toBe(1 + 3);
    for (const fill of fills) expect(contrastToWhite(fill)).toBeGreaterThan(4.5);
  });

  it("says that the run fails where a warning counts", async () => {
    expect(textsOf(await badgeOf(runOf([PASSING, WARNING]), { failOnWarning: true }), "text")[1]).toBe("fails");
  });

  it("is as wide as its texts", async () => {
    const seen = await badgeOf(runOf([PASSING]));
    const widths = valuesOf(seen, "rect", "width").map(Number);
    expect(widths).toEqual(textsOf(seen, "text").map((text) => text.length * 7 + 16));
    const [label = 0, value = 0] = widths;
    expect(valuesOf(seen, "text", "x").map(Number)).toEqual([label / 2, label + value / 2]);
    expect(valuesOf(seen, "rect", "x")).toEqual([String(label)]);
    const width = label + value;
    expect(valuesOf(seen, "svg", "width")).toEqual([String(width)]);
    expect(valuesOf(seen, "svg", "viewBox")).toEqual([`0 0 ${width} 20`]);
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
