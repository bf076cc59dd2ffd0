// The report as JUnit's XML, which tools of continuous integration read. It has no schema of its own; these elements are understood everywhere.
import { documentOf, type Markup, markup } from "./markup.js";
import type { ConformanceReport, TestResult } from "./report-json.js";

/**
 * Writes one suite of tests with a test for each case. A case is a `failure` if it fails the verdict. Other failed cases pass, and tell in
 * `system-out` what was seen.
 */
export function reportJunit(report: ConformanceReport): string {
  const failing = new Set(report.failures.map(({ test_id }) => test_id));
  const isFailure = (one: TestResult) => failing.has(one.test_id);
  const counts = markup`tests="${report.tests_run}" failures="${report.test_results.filter(isFailure).length}" errors="0" \
skipped="${report.tests_skipped}" time="${report.duration_seconds}"`;
  return documentOf(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${`aaepd suite ${report.suite_version}`}" ${counts}>
<testsuite name="${suiteName(report)}" timestamp="${report.started_at}" ${counts}>
<properties>
${propertiesOf(report).map(([name, value]) => markup`<property name="${name}" value="${value}"/>\n`)}</properties>
${report.test_results.map((one) => testCase(one, isFailure(one)))}</testsuite>
</testsuites>
`);
}

function suiteName({ metadata, conformance_level }: ConformanceReport): string {
  return `${metadata.target_name}, ${metadata.target_kind}, level ${conformance_level}`;
}

function propertiesOf(report: ConformanceReport): readonly (readonly [string, string])[] {
  return [
    ["endpoint", report.endpoint],
    ["verdict", report.verdict],
    ["claim", report.claim ?? ""],
    ["claim_refused", report.claim_refused ?? ""],
    ["extensions", report.metadata.extensions.join(",")],
  ];
}

function testCase(result: TestResult, isFailure: boolean): Markup {
  const place = result.extension === null ? `level${result.level}` : `extension.${result.extension}`;
  return markup`<testcase classname="${`${result.role}.${place}`}" name="${`${result.test_id}: ${result.description}`}" \
time="${result.duration_ms / 1000}">${outcomeElement(result, isFailure)}</testcase>
`;
}

function outcomeElement(result: TestResult, isFailure: boolean): Markup | undefined {
  switch (result.outcome) {
    case "passed":
      return undefined;
    case "skipped":
      return markup`<skipped message="${result.message}"/>`;
    case "failed":
      return isFailure
        ? markup`<failure type="${result.severity}" message="${result.message}">${failureText(result)}</failure>`
        : markup`<system-out>${`Failed, and fails nothing (${result.severity}).\n${failureText(result)}`}</system-out>`;
  }
}

function failureText(result: TestResult): string {
  const evidence = result.evidence.map(({ note, text }) => (text === null ? note : `${note}\n${text}`));
  return [
    `Rule: ${result.description}`,
    `Paragraphs: ${result.spec_reference}`,
    `Expected: ${result.expected ?? ""}`,
    `Seen: ${result.actual ?? ""}`,
    ...evidence,
  ].join("\n");
}
