import { accessSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { usage } from "../../base/errors.js";
import { badgeSvg } from "../../conformance/report/badge.js";
import { reportHtml } from "../../conformance/report/report-html.js";
import type { ConformanceReport } from "../../conformance/report/report-json.js";
import { reportJunit } from "../../conformance/report/report-junit.js";

const REPORT_NAME = "conformance-report.json";

/** Makes the folder of the reports, before a run whose report could not be written. Throws a Fault "usage" if that is not possible. */
export function makeReportFolder(folder: string): void {
  written(folder, () => {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  });
}

/** Writes a report in each of its forms into a folder. Throws a Fault "usage" if that is not possible. */
export function writeReports(folder: string, report: ConformanceReport): void {
  const files = {
    [REPORT_NAME]: `${JSON.stringify(report, null, 2)}\n`,
    "conformance-report.html": reportHtml(report),
    "conformance-report.junit.xml": reportJunit(report),
    "badge.svg": badgeSvg(report),
  };
  written(folder, () => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
}

function written(folder: string, write: () => void): void {
  try {
    write();
  } catch (caught) {
    throw usage(`The reports cannot be written into ${folder}: ${(caught as Error).message}.`);
  }
}
