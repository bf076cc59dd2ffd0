// The report as one page (AAEP §9.7): it stands alone, runs no script, loads nothing, and can be printed. Evidence comes from the target, so it is
// hostile.
import type { ConformanceReport } from "./conformance-report.js";
import { anchored, casesTable, failedCases, skippedCases } from "./html-cases.js";
import { STYLE } from "./html-style.js";
import { documentOf, type Markup, markup, ownMarkup } from "./markup.js";

/** Nothing but the page's own style, should a piece of evidence ever get past the escaping. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Writes the page. Characters that a reader would not see stand there as their code points ("⟨U+202E⟩"). */
export function reportHtml(report: ConformanceReport): string {
  const title = `Report of the aaepd suite: ${report.metadata.target_name}`;
  const cases = anchored(report.test_results);
  return documentOf(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title>
<style>${ownMarkup(STYLE)}</style>
</head>
<body>
<header>
<h1>Report of the aaepd suite: <bdi>${report.metadata.target_name}</bdi></h1>
<p>${claimWords(report)}</p>
</header>
<nav aria-label="Parts of the report">
<ul>
<li><a href="#summary">Summary</a></li>
<li><a href="#failed">Failed cases (${report.tests_failed})</a></li>
<li><a href="#skipped">Skipped cases (${report.tests_skipped})</a></li>
<li><a href="#all">All cases (${report.tests_run})</a></li>
</ul>
</nav>
<main>
${part("summary", "Summary", summary(report))}
${part("failed", "Failed cases", failedCases(cases))}
${part("skipped", "Skipped cases", skippedCases(cases))}
${part("all", "All cases", casesTable(cases))}
</main>
<footer>
<p>Made by the aaepd suite ${report.suite_version} from AAEP ${report.aaep_spec_version}. A target that is tested again can get another report.</p>
</footer>
</body>
</html>
`);
}

function part(id: string, heading: string, content: Markup): Markup {
  return markup`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`;
}

function claimWords({ claim, claim_refused }: ConformanceReport): string {
  return claim ?? `There is no claim. ${claim_refused ?? ""}`;
}

function summary(report: ConformanceReport): Markup {
  const { metadata } = report;
  const warned = report.test_results.filter(({ outcome, severity }) => outcome === "failed" && severity === "warning");
  const weight = metadata.fail_on_warning ? "recommended only (counted by --fail-on-warning)" : "recommended only";
  const figures: readonly (readonly [string, string | Markup])[] = [
    ["Verdict", markup`<span class="${verdictClass(report)}">${verdictWords(report)}</span>`],
    ["Tested", `${metadata.target_kind}, at ${report.endpoint}`],
    ["Level", String(report.conformance_level)],
    ["Extension sets", metadata.extensions.length === 0 ? "none" : metadata.extensions.join(", ")],
    ["Chosen cases", metadata.filter ?? "all of the level"],
    ["Passed", `${report.tests_passed} of ${report.tests_run}`],
    ["Failed", `${report.tests_failed}, of which ${warned.length} ${weight}`],
    ["Skipped", String(report.tests_skipped)],
    ["Pass rate", report.pass_rate === null ? "nothing was judged" : percent(report.pass_rate)],
    ["Started", report.started_at],
    ["Completed", report.completed_at],
    ["Duration", `${report.duration_seconds} seconds`],
  ];
  return markup`<dl class="summary">
${figures.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`;
}

function verdictWords({ verdict }: ConformanceReport): string {
  switch (verdict) {
    case "PASS":
      return "passes";
    case "FAIL":
      return "fails";
    case "SKIPPED":
      return "nothing was judged";
  }
}

function verdictClass({ verdict }: ConformanceReport): string {
  return { PASS: "verdict passed", FAIL: "verdict failed", SKIPPED: "verdict skipped" }[verdict];
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} % of the judged cases, skipped ones left out`;
}
