// The report as one page (AAEP §9.7): it stands alone, runs no script, loads nothing, and has the reader's own colours and fonts. Evidence comes
// from the target, so it is hostile.
import { documentOf, type Markup, markup } from "./markup.js";
import type { ConformanceReport, TestResult } from "./report-json.js";

/** Nothing but the page's own style, should a piece of evidence ever get past the escaping. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Writes the page. Characters that a reader would not see stand there as their code points ("⟨U+202E⟩"). */
export function reportHtml(report: ConformanceReport): string {
  const { metadata, test_results: results } = report;
  const failed = results.filter(({ outcome }) => outcome === "failed");
  return documentOf(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${`Report of the aaepd suite: ${metadata.target_name}`}</title>
<style>
:root { color-scheme: light dark; background: Canvas; color: CanvasText; }
body { margin: auto; max-width: 70rem; padding: 1rem; overflow-wrap: anywhere; }
th, td { text-align: left; vertical-align: top; }
pre { white-space: pre-wrap; }
</style>
</head>
<body>
<main>
<h1>Report of the aaepd suite: <bdi>${metadata.target_name}</bdi></h1>
<p>${report.claim ?? `There is no claim. ${report.claim_refused ?? ""}`}</p>
<dl>
${summary(report).map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
<h2>Failed cases</h2>
${failed.length === 0 ? markup`<p>No case failed.</p>` : failed.map(failedCase)}
<h2>All cases</h2>
<table>
<thead><tr><th scope="col">Case</th><th scope="col">Rule</th><th scope="col">Verdict</th></tr></thead>
<tbody>
${results.map(row)}</tbody>
</table>
</main>
</body>
</html>
`);
}

function summary(report: ConformanceReport): readonly (readonly [name: string, value: string])[] {
  const { metadata } = report;
  return [
    ["Verdict", report.verdict],
    ["Tested", `${metadata.target_kind}, at ${report.endpoint}`],
    ["Suite", `${report.suite_version}, made from AAEP ${report.aaep_spec_version}`],
    ["Level", String(report.conformance_level)],
    ["Extension sets", metadata.extensions.join(", ") || "none"],
    ["Chosen cases", metadata.filter ?? "all of the level"],
    ["Passed", `${report.tests_passed} of ${report.tests_run}`],
    ["Failed", `${report.tests_failed}, of which ${report.failures.length} count`],
    ["Skipped", String(report.tests_skipped)],
    ["Completed", `${report.completed_at}, after ${report.duration_seconds} seconds`],
  ];
}

/** A failed case: the rule, what was expected, what was seen, and the bytes. A line feed behind `<pre>` is no part of the text. */
function failedCase(result: TestResult): Markup {
  return markup`<h3>${result.test_id}: ${outcomeWords(result)}</h3>
<p>${result.description} (${result.spec_reference})</p>
<dl>
<dt>Expected</dt><dd>${result.expected ?? ""}</dd>
<dt>Seen</dt><dd>${result.actual ?? ""}</dd>
${result.evidence.map(({ note, text }) => markup`<dt>${note}</dt><dd>${text === null ? "nothing" : markup`<pre dir="ltr" translate="no">\n${text}</pre>`}</dd>\n`)}</dl>
`;
}

function row(result: TestResult): Markup {
  const verdict = result.outcome === "skipped" ? `skipped: ${result.message}` : outcomeWords(result);
  return markup`<tr><th scope="row">${result.test_id}</th><td>${result.description} (${result.spec_reference})</td><td>${verdict}</td></tr>
`;
}

/** The outcome in words, which say whether a failed case was required. */
function outcomeWords({ outcome, severity }: TestResult): string {
  return outcome === "failed" && severity === "warning" ? "failed (recommended)" : outcome;
}
