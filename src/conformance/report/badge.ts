// A badge for a product's page. Its text is text, so that it can be read aloud, searched and enlarged.
import { documentOf, markup } from "./markup.js";
import type { ConformanceReport } from "./report-json.js";
import { visibleLine } from "./visible-text.js";

/** The left side of every badge. */
const LABEL = "aaepd suite";
const HEIGHT = 20;
const PADDING = 8;
/** Wider than the letters of the fonts below are on average. */
const LETTER_WIDTH = 7;
const LABEL_COLOR = "#3d444d";
/** Against these, white has a contrast of more than 4.5. */
const COLORS: Readonly<Record<"passes" | "fails" | "undecided", string>> = {
  passes: "#116329",
  fails: "#a40e26",
  undecided: "#57606a",
};

/**
 * Draws the badge as SVG: "aaepd suite" and beside it "level 3", "level 3 + aaepd", "level 3, not aaepd" where a set of extensions failed, "fails",
 * "not judged" or "no claim". A level stands there only if the report has a claim, which is the title of the badge.
 */
export function badgeSvg(report: ConformanceReport): string {
  const { words, color } = valueSide(report);
  const name = `${LABEL}: ${words}`;
  const labelWidth = widthOf(LABEL);
  const valueWidth = widthOf(words);
  const width = labelWidth + valueWidth;
  return documentOf(markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" \
aria-label="${name}">
<title>${report.claim ?? `${name}. ${report.claim_refused ?? ""}`}</title>
<rect width="${labelWidth}" height="${HEIGHT}" fill="${LABEL_COLOR}"/>
<rect x="${labelWidth}" width="${valueWidth}" height="${HEIGHT}" fill="${color}"/>
<g fill="#ffffff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="${labelWidth / 2}" y="14">${LABEL}</text>
<text x="${labelWidth + valueWidth / 2}" y="14">${words}</text>
</g>
</svg>
`);
}

function valueSide(report: ConformanceReport): { readonly words: string; readonly color: string } {
  if (report.claim !== null) return { words: visibleLine(levelWords(report)), color: COLORS.passes };
  switch (report.verdict) {
    case "FAIL":
      return { words: "fails", color: COLORS.fails };
    case "SKIPPED":
      return { words: "not judged", color: COLORS.undecided };
    case "PASS":
      return { words: "no claim", color: COLORS.undecided };
  }
}

function levelWords({ conformance_level, metadata, test_results, failures }: ConformanceReport): string {
  const failed = metadata.extensions.filter((one) => failures.some(({ extension }) => extension === one));
  const passed = metadata.extensions.filter(
    (one) => !failed.includes(one) && test_results.some((result) => result.extension === one && result.passed),
  );
  return [
    `level ${conformance_level}`,
    ...passed.map((one) => ` + ${one}`),
    ...failed.map((one) => `, not ${one}`),
  ].join("");
}

function widthOf(text: string): number {
  return [...text].length * LETTER_WIDTH + 2 * PADDING;
}
