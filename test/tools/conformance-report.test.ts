// The page, the XML and the badge of a conformance report in Chromium: nobody is kept out, and what a target sends stays text.
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SuiteRun } from "../../src/conformance/findings/finding.js";
import { badgeSvg } from "../../src/conformance/report/badge.js";
import { reportHtml } from "../../src/conformance/report/report-html.js";
import { reportJson } from "../../src/conformance/report/report-json.js";
import { FAILED, MIXED, PASSED, result, runOf } from "../conformance/report/runs.js";
import { startChromium } from "./browser/chromium.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** All rules, the experimental ones and those of good practice too. */
const EVERY_RULE: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"],
};
/** With more in a line than any screen is wide. */
const LONG = "0123456789abcdef".repeat(250);
const WIDE = runOf([
  ...MIXED.results,
  result(`P3-${"x".repeat(80)}`, {
    kind: "failed",
    expected: LONG,
    seen: LONG,
    evidence: [{ note: "sent", text: LONG }],
  }),
]);
const CLAIMED = runOf([result("P1-a", PASSED), result("P1-b", FAILED, { severity: "warning" })]);

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
}, 120_000);
afterAll(() => browser?.close());

interface Looks {
  readonly colorScheme?: "light" | "dark";
  readonly media?: "screen" | "print";
  readonly width?: number;
}

async function openPage(
  html: string,
  { colorScheme = "light", media = "screen", width = 1280 }: Looks = {},
): Promise<Page> {
  // Only what the test puts in gets past the page's own policy.
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.emulateMedia({ media, colorScheme });
  await page.setContent(html);
  return page;
}

interface Findings {
  readonly violations: readonly string[];
  /** Rules of which axe could not tell whether they are kept. */
  readonly undecided: readonly string[];
}

async function findingsOn(page: Page): Promise<Findings> {
  await page.addScriptTag({ path: AXE });
  const found = (await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run: (options: unknown) => unknown } }).axe.run(options),
    EVERY_RULE,
  )) as AxeResults;
  expect(found.passes.length).toBeGreaterThan(10);
  const told = (results: AxeResults["violations"]) =>
    results.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
    );
  return { violations: told(found.violations), undecided: told(found.incomplete) };
}

const RUNS: readonly (readonly [string, SuiteRun])[] = [
  ["with every kind of result", MIXED],
  ["with a claim", CLAIMED],
  ["with long lines", WIDE],
];
const LOOKS: readonly (readonly [string, Looks])[] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["on paper, from a dark screen", { colorScheme: "dark", media: "print" }],
  ["on a narrow screen", { width: 320 }],
];

describe.each(LOOKS)("the page, %s", (_, looks) => {
  it.each(RUNS)("%s: axe finds nothing that keeps people out", async (_, run) => {
    const page = await openPage(reportHtml(reportJson(run)), looks);
    const { violations, undecided } = await findingsOn(page);
    expect(violations).toEqual([]);
    // Cells that are scrolled out of sight have the colours of the others.
    const isSeen = looks.width === undefined;
    expect(undecided.filter((one) => isSeen || !one.startsWith("color-contrast:"))).toEqual([]);
  });

  it.each(RUNS)("%s: the page is not scrolled sideways", async (_, run) => {
    const page = await openPage(reportHtml(reportJson(run)), looks);
    const [needed, there] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
      number,
      number,
    ];
    expect(needed).toBeLessThanOrEqual(there);
  });
});

it("axe finds what is wrong with a page that is wrong", async () => {
  const html = reportHtml(reportJson(MIXED)).replace(' lang="en"', "").replace("body {", "body { color: #cccccc;");
  const { violations } = await findingsOn(await openPage(html));
  expect(violations.filter((one) => one.startsWith("html-has-lang:"))).toHaveLength(1);
  expect(violations.filter((one) => one.startsWith("color-contrast:")).length).toBeGreaterThan(5);
});

describe("whatever a target sends, Chromium", () => {
  it("runs nothing of it, and asks nobody", async () => {
    const attack = `<script>globalThis.hit = 1</script><img src="https://elsewhere.example/x" onerror="globalThis.hit = 1">`;
    const run = runOf(
      [
        result(`"><svg onload="globalThis.hit=1">`, {
          kind: "failed",
          expected: attack,
          seen: `</dd></style>${attack}`,
          evidence: [{ note: attack, text: `</pre></textarea>--></title>${attack}` }],
        }),
        result("P1-s", { kind: "skipped", reason: attack }, { title: attack, paragraphs: [attack] }),
      ],
      { target: { role: "producer", endpoint: attack, name: `</title>${attack}` } },
    );
    const page = await openPage("<p>Waits.</p>");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.setContent(reportHtml(reportJson(run)), { waitUntil: "load" });
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await page.locator("script, img, svg").count()).toBe(0);
  });
});

describe("the badge", () => {
  it("has a name and texts that fit, and axe finds nothing", async () => {
    for (const run of [MIXED, CLAIMED, runOf([])]) {
      const svg = badgeSvg(reportJson(run));
      const html = `<!doctype html><html lang="en"><head><title>A badge</title></head><body><main><h1>A badge</h1>${svg}</main></body></html>`;
      const page = await openPage(html);
      expect((await findingsOn(page)).violations).toEqual([]);
      expect(await page.getByRole("img", { name: /^aaepd suite: / }).count()).toBe(1);
      const fits = await page.evaluate(
        "[...document.querySelectorAll('text')].every((one, at) => one.getBBox().width < document.querySelectorAll('rect')[at].getBBox().width)",
      );
      expect(fits).toBe(true);
    }
  });
});
