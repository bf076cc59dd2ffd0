// A run of the suite as the command line shows it: a line for each case, the verdict, the reports.
import { Fault } from "../../base/errors.js";
import type { CaseDescription, CaseResult, Role, SuiteRun } from "../../conformance/findings/finding.js";
import { reportJson } from "../../conformance/report/report-json.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { resultLines } from "./result-lines.js";
import type { SuiteOptions } from "./suite-options.js";
import { makeReportFolder, writeReports } from "./write-reports.js";

export interface SuiteSide {
  readonly role: Role;
  readonly cases: readonly CaseDescription[];
  /** Used where `--name` is not given. */
  readonly defaultName: string;
  readonly run: (told: (result: CaseResult) => void) => Promise<readonly CaseResult[]>;
}

/** Sets of cases beyond the levels. */
const EXTENSIONS = ["aaepd"];

/** Runs the cases of one side. Throws a Fault "usage" for a case or a set that is not there. */
export async function runSuite(options: SuiteOptions, io: CommandIo, side: SuiteSide): Promise<ExitCode> {
  const { level, extensions = [], case: chosen } = options;
  const unknown = chosen?.find((id) => !side.cases.some((one) => one.id === id));
  if (unknown !== undefined)
    throw notThere(
      `There is no case ${unknown} for a ${side.role}.`,
      side.cases.map(({ id }) => id),
    );
  const strange = extensions.find((name) => !EXTENSIONS.includes(name));
  if (strange !== undefined) throw notThere(`There is no set ${strange}.`, EXTENSIONS);

  if (options.report !== undefined) makeReportFolder(options.report);

  const output = createLineWriter(io.stdout);
  const lines = resultLines(colorsFor(io), options.quiet === true);
  const startedAt = new Date(io.clock.wallTime()).toISOString();
  const results = await side.run((result) => {
    for (const line of lines(result)) void output.write(line);
  });
  const run: SuiteRun = {
    target: { role: side.role, endpoint: options.endpoint, name: options.name ?? side.defaultName },
    level,
    extensions,
    chosen,
    startedAt,
    completedAt: new Date(io.clock.wallTime()).toISOString(),
    results,
  };
  const report = reportJson(run, { failOnWarning: options.failOnWarning === true });
  if (options.report !== undefined) writeReports(options.report, report);
  const { tests_passed: passed, tests_failed: failed, tests_skipped: skipped } = report;
  await output.write(`${report.verdict}: ${passed} passed, ${failed} failed, ${skipped} skipped.`);
  await output.write(report.claim ?? `No claim: ${report.claim_refused ?? "the report gives no reason."}`);
  await output.flush();
  const hasWarning = results.some(({ about, verdict }) => about.severity === "warning" && verdict.kind === "failed");
  // A run that judged nothing is no success.
  return report.verdict !== "PASS" || (options.failOnWarning === true && hasWarning) ? EXIT.fault : EXIT.ok;
}

function notThere(sentence: string, known: readonly string[]): Fault {
  return new Fault("usage", `${sentence} Give some of ${known.join(", ")}.`, { origin: "local" });
}
