import type { Colors } from "picocolors/types.js";
import type { CaseResult } from "../../conformance/findings/finding.js";
import { shownText } from "../terminal/shown-text.js";

/** Makes the lines of a result: the verdict in a word, the case, its rule; of a failure what was expected and seen. */
export function resultLines(colors: Colors, isQuiet: boolean): (result: CaseResult) => readonly string[] {
  return ({ about, verdict }) => {
    const rule = `${about.id}: ${about.title} (${about.paragraphs[0] ?? ""})`;
    switch (verdict.kind) {
      case "passed":
        return isQuiet ? [] : [`${colors.green("passed")}  ${rule}`];
      case "skipped":
        return isQuiet ? [] : [`${colors.dim("skipped")} ${rule}`, `        ${shownText(verdict.reason)}`];
      case "failed": {
        const word = about.severity === "warning" ? colors.yellow("warning") : colors.red("failed ");
        return [
          `${word} ${rule}`,
          `        expected: ${verdict.expected}`,
          `        seen: ${shownText(verdict.seen)}`,
          ...verdict.evidence.map(({ note, text = "nothing" }) => `        ${note}: ${shownText(text.slice(0, 500))}`),
        ];
      }
    }
  };
}
