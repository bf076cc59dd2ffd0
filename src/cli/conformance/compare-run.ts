// `aaepd conformance compare`.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { usage } from "../../base/errors.js";
import { compareReports } from "../../conformance/report/compare.js";
import type { ConformanceReport } from "../../conformance/report/report-json.js";
import { EXIT, runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { suiteExitCode } from "./run-suite.js";

export function runCompare(before: string, after: string, io: CommandIo): Promise<void> {
  return runCommand(
    io,
    async () => {
      const [old, young] = [readReport(before), readReport(after)];
      const [role, otherRole] = [old, young].map(({ metadata }) => metadata.target_kind);
      if (role !== otherRole) {
        const sentence = `${before} is about a ${role}, and ${after} about a ${otherRole}. Their cases are others. Compare reports of one role.`;
        throw usage(sentence);
      }
      const changes = compareReports(old, young);
      await writeLines(io.stdout, changes.length === 0 ? ["The reports say the same."] : changes);
      return changes.length === 0 ? EXIT.ok : EXIT.fault;
    },
    suiteExitCode,
  );
}

/** `given`: a report, or the folder that `--report` named. */
function readReport(given: string): ConformanceReport {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(given, "conformance-report.json") : given;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (caught) {
    const why = caught instanceof Error ? caught.message : String(caught);
    throw usage(`${path} cannot be read (${why}). Give a conformance-report.json, or its folder.`);
  }
  try {
    const report = JSON.parse(text) as ConformanceReport;
    if (Array.isArray(report.test_results) && typeof report.metadata.target_kind === "string") return report;
  } catch {
    // It is told below.
  }
  throw usage(`${path} is no conformance report. Give a conformance-report.json.`);
}
