// A run of the suite as the command line shows it: a line for each case, the verdict, the reports.

import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fault, usage } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import type { CaseDescription, CaseResult, Level, Role, SuiteRun } from "../../conformance/findings/finding.js";
import { badgeSvg } from "../../conformance/report/badge.js";
import { reportHtml } from "../../conformance/report/report-html.js";
import { type ConformanceReport, reportJson } from "../../conformance/report/report-json.js";
import { reportJunit } from "../../conformance/report/report-junit.js";
import type { SocketFraming } from "../../conformance/wire/socket-links.js";
import { EXIT, type ExitCode } from "../shell/run-command.js";
import { counted } from "../terminal/amounts.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { createResultLines } from "./result-lines.js";

/** The options that both roles have. */
export interface SuiteOptions {
  readonly endpoint: string;
  readonly level: Level;
  readonly framing?: SocketFraming;
  readonly extensions?: readonly string[];
  readonly case?: readonly string[];
  /** Seconds. */
  readonly patience: number;
  readonly name?: string;
  readonly report?: string;
  readonly failOnWarning?: true;
  readonly quiet?: true;
}

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
  const ids = side.cases.map(({ id }) => id);
  const unknown = chosen?.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw notThere(`There is no case ${unknown} for a ${side.role}.`, unknown, ids);
  const strange = extensions.find((name) => !EXTENSIONS.includes(name));
  if (strange !== undefined) throw notThere(`There is no set ${strange}.`, strange, EXTENSIONS);

  const { report: folder } = options;
  if (folder !== undefined) written(folder, () => makeReportFolder(folder));

  const output = createLineWriter(io.stdout);
  const failOnWarning = options.failOnWarning === true;
  const lines = createResultLines(colorsFor(io), { isQuiet: options.quiet === true, failOnWarning });
  const tell = (told: readonly string[]): void => {
    for (const line of told) void output.write(line);
  };
  const startedAt = new Date(io.clock.wallTime()).toISOString();
  const results = await side.run((result) => tell(lines.after(result)));
  const run: SuiteRun = {
    target: { role: side.role, endpoint: options.endpoint, name: options.name ?? side.defaultName },
    level,
    extensions,
    chosen,
    startedAt,
    completedAt: new Date(io.clock.wallTime()).toISOString(),
    results,
  };
  const report = reportJson(run, { failOnWarning });
  if (folder !== undefined) written(folder, () => writeReports(folder, report));
  tell(lines.atEnd(report.verdict));
  await output.write(`${report.verdict}: ${countWords(report)}.`);
  await output.write(report.claim ?? `No claim: ${report.claim_refused ?? "the report gives no reason."}`);
  await output.flush();
  // A run that judged nothing is no success.
  return report.verdict === "PASS" ? EXIT.ok : EXIT.fault;
}

/** Failed cases that fail nothing are counted apart, so that the figures fit the verdict. */
function countWords({ tests_passed, tests_failed, tests_skipped, failures }: ConformanceReport): string {
  const warned = tests_failed - failures.length;
  return [
    `${tests_passed} passed`,
    `${failures.length} failed`,
    ...(warned === 0 ? [] : [counted(warned, "warning")]),
    `${tests_skipped} skipped`,
  ].join(", ");
}

function notThere(sentence: string, name: string, known: readonly string[]): Fault {
  const near = didYouMean(name, known);
  const advice = near === "" ? `Give some of ${known.join(", ")}.` : near;
  return usage(`${sentence} ${advice}`);
}

/** Faults of what a suite was given. After any other the suite itself has failed. */
const OF_THE_CALLER = ["usage", "address_invalid", "address_in_use", "permission_denied", "not_found"];

export function suiteExitCode({ code }: Fault): ExitCode {
  return OF_THE_CALLER.includes(code) ? EXIT.usage : EXIT.suiteFailed;
}

/** Makes the folder of the reports, before a run whose report could not be written. */
function makeReportFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

/** Writes a report in each of its forms into a folder. */
function writeReports(folder: string, report: ConformanceReport): void {
  const files = {
    "conformance-report.json": `${JSON.stringify(report, null, 2)}\n`,
    "conformance-report.html": reportHtml(report),
    "conformance-report.junit.xml": reportJunit(report),
    "badge.svg": badgeSvg(report),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Throws a Fault "usage" where the folder cannot be written. */
function written(folder: string, write: () => void): void {
  try {
    write();
  } catch (caught) {
    throw usage(`The reports cannot be written into ${folder}: ${(caught as Error).message}.`);
  }
}
