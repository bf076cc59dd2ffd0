// The parts of the page that show cases: those that failed with their evidence, those that were skipped, and a table of all.
import type { ReportedEvidence, TestResult } from "./conformance-report.js";
import { type Markup, markup } from "./markup.js";

/** A result with its anchor on the page. The ids of cases do not become anchors, because any text can stand in them. */
export interface AnchoredResult {
  readonly result: TestResult;
  readonly anchor: string;
}

export function anchored(results: readonly TestResult[]): readonly AnchoredResult[] {
  return results.map((result, index) => ({ result, anchor: `case-${index + 1}` }));
}

/** The outcome in words, which say whether a failed case was required. */
function outcomeWords({ outcome, severity }: TestResult): string {
  return outcome === "failed" && severity === "warning" ? "failed (recommended)" : outcome;
}

/** Each failed case: the rule, what was expected, what was seen, and the bytes. */
export function failedCases(cases: readonly AnchoredResult[]): Markup {
  const failed = cases.filter(({ result }) => result.outcome === "failed");
  return failed.length === 0 ? markup`<p>No case failed.</p>` : markup`${failed.map(failedCase)}`;
}

function failedCase({ result, anchor }: AnchoredResult): Markup {
  return markup`<article aria-labelledby="${anchor}">
<h3 id="${anchor}">${result.test_id}: ${outcomeWords(result)}</h3>
<p>${result.description}</p>
<dl>
<dt>Expected</dt><dd>${result.expected ?? ""}</dd>
<dt>Seen</dt><dd>${result.actual ?? ""}</dd>
<dt>Paragraphs</dt><dd>${result.spec_reference}</dd>
</dl>
${result.evidence.length === 0 ? undefined : evidenceList(result.evidence)}</article>
`;
}

function evidenceList(evidence: readonly ReportedEvidence[]): Markup {
  return markup`<h4>Evidence</h4>
<ol>
${evidence.map(({ note, text }) => markup`<li>${note}${text === null ? undefined : bytes(text)}</li>\n`)}</ol>
`;
}

/** A line feed behind `<pre>` is no part of the text, so that one that begins the text stays. */
function bytes(text: string): Markup {
  return markup`<pre dir="ltr" translate="no">\n${text}</pre>`;
}

/** Each skipped case with its reason. */
export function skippedCases(cases: readonly AnchoredResult[]): Markup {
  const skipped = cases.filter(({ result }) => result.outcome === "skipped");
  if (skipped.length === 0) return markup`<p>No case was skipped.</p>`;
  return markup`<dl>
${skipped.map(({ result, anchor }) => markup`<dt id="${anchor}">${result.test_id}</dt><dd>${result.message}</dd>\n`)}</dl>`;
}

/** The table. The first cell of each row names its case, and leads to what is told about it. */
export function casesTable(cases: readonly AnchoredResult[]): Markup {
  if (cases.length === 0) return markup`<p>There is no case.</p>`;
  return markup`<div class="table" role="region" aria-label="Table of all cases" tabindex="0">
<table>
<caption>All cases, in the order of the table of requirements</caption>
<thead><tr>
<th scope="col">Case</th><th scope="col">Rule</th><th scope="col">Paragraphs</th><th scope="col">Part of</th><th scope="col">Kind</th>
<th scope="col">Verdict</th>
</tr></thead>
<tbody>
${cases.map(row)}</tbody>
</table>
</div>`;
}

function row({ result, anchor }: AnchoredResult): Markup {
  const name =
    result.outcome === "passed" ? markup`${result.test_id}` : markup`<a href="#${anchor}">${result.test_id}</a>`;
  const part = result.extension === null ? `level ${result.level}` : `extension set ${result.extension}`;
  return markup`<tr><th scope="row">${name}</th><td class="text">${result.description}</td><td class="text">${result.spec_reference}</td>\
<td class="text">${part}</td>\
<td>${kindWords(result)}</td><td class="${`verdict ${result.outcome}`}">${outcomeWords(result)}</td></tr>
`;
}

function kindWords({ severity }: TestResult): string {
  switch (severity) {
    case "error":
      return "required";
    case "warning":
      return "recommended";
    case "info":
      return "not judged";
  }
}
