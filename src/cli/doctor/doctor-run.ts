// Prints the findings of an examination.
import { unreachable } from "../../base/exhaustive.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { counted } from "../terminal/counted.js";
import { jsonText } from "../terminal/json-text.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import { type ExamineOptions, examine, type MachineFacts } from "./examine.js";
import type { Finding } from "./finding.js";

export interface DoctorOptions extends ExamineOptions {
  readonly json?: true;
}

export function runDoctor(options: DoctorOptions, io: CommandIo, machine: MachineFacts = {}): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const findings = await examine(options, io, machine);
    const output = createLineWriter(io.stdout);
    const isWell = !findings.some(({ grade }) => grade === "problem");
    const lines = options.json === true ? [jsonText({ ok: isWell, findings })] : doctorLines(findings);
    for (const line of lines) await output.write(line);
    await output.flush();
    return isWell ? EXIT.ok : EXIT.fault;
  });
}

/** The conclusion first, then each finding with its remedy below it. */
export function doctorLines(findings: readonly Finding[]): readonly string[] {
  return [conclusion(findings), ...findings.flatMap(findingLines)];
}

function conclusion(findings: readonly Finding[]): string {
  const count = (grade: Finding["grade"]): number => findings.filter((one) => one.grade === grade).length;
  const problems = count("problem");
  const pieces = count("advice");
  const advised = pieces === 0 ? "" : `${pieces} ${pieces === 1 ? "piece" : "pieces"} of advice.`;
  if (problems === 0) return pieces === 0 ? "All is well." : `All is well, with ${advised}`;
  return [`${counted(problems, "problem")}.`, ...(advised === "" ? [] : [advised])].join(" ");
}

function findingLines(finding: Finding): readonly string[] {
  const said = shownText(finding.message);
  switch (finding.grade) {
    case "problem":
      return [`Problem, ${finding.area}: ${said}`, `  Remedy: ${shownText(finding.remedy)}`];
    case "advice":
      return [`Advice, ${finding.area}: ${said}`, `  Remedy: ${shownText(finding.remedy)}`];
    case "fact":
      return [`In order, ${finding.area}: ${said}`];
    default:
      return unreachable(finding);
  }
}
