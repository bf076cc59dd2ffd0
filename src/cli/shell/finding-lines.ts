// Findings as they are told: the conclusion first, then each with its remedy below it.
import type { Fault } from "../../base/errors.js";
import { type Complaint, type Finding, problem } from "../../daemon/platform/finding.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { helpOf } from "./fault-lines.js";
import { withPages } from "./program-paths.js";
import { EXIT, type ExitCode } from "./run-command.js";

/** A finding with the part of the machine that it is about. */
export type Located = Finding & { readonly area: string };

export const GRADE_WORDS = { problem: "Problem", advice: "Advice", fact: "In order" } as const;

/** Tells the findings in the order of their grades. Returns the exit code: a problem is a fault. */
export async function tellFindings(
  found: readonly Located[],
  asJson: boolean,
  { stdout }: Pick<CommandIo, "stdout">,
): Promise<ExitCode> {
  const findings = (["problem", "advice", "fact"] as const).flatMap((grade) =>
    found.filter((one) => one.grade === grade),
  );
  const isWell = !findings.some(({ grade }) => grade === "problem");
  await writeLines(stdout, asJson ? [jsonText({ ok: isWell, findings })] : findingLines(findings));
  return isWell ? EXIT.ok : EXIT.fault;
}

export function findingLines(findings: readonly Located[]): readonly string[] {
  return [
    conclusionOf(findings),
    ...findings.flatMap((one) => [
      `${GRADE_WORDS[one.grade]}, ${one.area}: ${shownText(one.message)}`,
      ...(one.grade === "fact" ? [] : [`  Remedy: ${withPages(shownText(one.remedy))}`]),
    ]),
  ];
}

/** Whether all is well, and how many problems and pieces of advice there are, in a sentence. */
export function conclusionOf(findings: readonly Pick<Finding, "grade">[]): string {
  const count = (grade: Finding["grade"]): number => findings.filter((one) => one.grade === grade).length;
  const [problems, pieces] = [count("problem"), count("advice")];
  const advised = pieces === 0 ? "" : `${pieces} ${pieces === 1 ? "piece" : "pieces"} of advice.`;
  const well = advised === "" ? "All is well." : `All is well, with ${advised}`;
  return problems === 0 ? well : `${counted(problems, "problem")}. ${advised}`.trimEnd();
}

/** A problem from the sentences of a fault, the last of which says what to do. */
export function problemFrom({ code, rule, sentence }: Pick<Fault, "code" | "rule" | "sentence">): Complaint {
  const [message, remedy] = lastSentenceApart(sentence.replace(/ \([A-Z_0-9]+\)$/, ""));
  return problem(code, message, remedy === "" ? `Read ${helpOf({ code, rule })[0]}` : remedy);
}

/** Splits a text before its last sentence. A text of one sentence has no second part. */
export function lastSentenceApart(text: string): readonly [string, string] {
  const at = text.lastIndexOf(". ");
  return at < 0 ? [text, ""] : [text.slice(0, at + 1), text.slice(at + 2)];
}
