import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { badgeSvg } from "../../conformance/report/badge.js";
import type { ConformanceReport } from "../../conformance/report/conformance-report.js";
import { reportHtml } from "../../conformance/report/report-html.js";
import { reportJunit } from "../../conformance/report/report-junit.js";

export const REPORT_NAME = "conformance-report.json";

/** Writes a report in each of its forms into a folder, which is made. Throws the Fault of the file that cannot be written. */
export async function writeReports(folder: string, report: ConformanceReport): Promise<void> {
  const files = {
    [REPORT_NAME]: `${JSON.stringify(report, null, 2)}\n`,
    "conformance-report.html": reportHtml(report),
    "conformance-report.junit.xml": reportJunit(report),
    "badge.svg": badgeSvg(report),
  };
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  } catch (caught) {
    throw faultFromNodeError(caught as Error, folder);
  }
}
