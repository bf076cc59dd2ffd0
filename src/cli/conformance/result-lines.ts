import type { Colors } from "picocolors/types.js";
import type { CaseResult } from "../../conformance/findings/finding.js";
import type { ReportVerdict } from "../../conformance/report/report-json.js";
import { shownText } from "../terminal/shown-text.js";

interface ResultLineOptions {
  /** Failures alone are told. */
  readonly isQuiet: boolean;
  /** A failed SHOULD is told as a failure. */
  readonly failOnWarning: boolean;
}

interface SkippedCase {
  readonly id: string;
  readonly rule: string;
  readonly reason: string;
}

/** The lines of a run: of a case the verdict in a word, the id and the rule; of a failure what was expected and seen. */
export function createResultLines(colors: Colors, { isQuiet, failOnWarning }: ResultLineOptions) {
  const waiting: SkippedCase[] = [];
  let count = 0;

  const linesOf = ([first, ...others]: readonly SkippedCase[]): readonly string[] => {
    if (first === undefined) return [];
    const ids = [first, ...others].map(({ id }) => id);
    const cases = ids.length === count ? `all ${count} cases` : `${ids.length} cases: ${named(ids)}`;
    return [`${colors.dim("skipped")} ${ids.length === 1 ? first.rule : cases}`, `        ${shownText(first.reason)}`];
  };
  const waitingLines = (): readonly string[] => {
    const all = waiting.splice(0);
    const reasons = [...new Set(all.map(({ reason }) => reason))];
    return reasons.flatMap((reason) => linesOf(all.filter((one) => one.reason === reason)));
  };

  return {
    /** The lines that can be told after a result. Skipped cases wait for those that follow, because one reason often skips many. */
    after: ({ about, verdict }: CaseResult): readonly string[] => {
      count += 1;
      const rule = `${about.id}: ${about.title} (${about.paragraphs[0] ?? ""})`;
      if (verdict.kind === "skipped") {
        const { reason } = verdict;
        const lines = isQuiet || waiting.at(-1)?.reason === reason ? [] : waitingLines();
        waiting.push({ id: about.id, rule, reason });
        return lines;
      }
      if (verdict.kind === "passed") return isQuiet ? [] : [...waitingLines(), `${colors.green("passed")}  ${rule}`];
      const isWarning = about.severity === "warning" && !failOnWarning;
      return [
        `${isWarning ? colors.yellow("warning") : colors.red("failed ")} ${rule}`,
        ...(verdict.expected === about.title ? [] : [`        expected: ${verdict.expected}`]),
        `        seen: ${shownText(verdict.seen)}`,
        ...verdict.evidence.map(({ note, text = "nothing" }) => `        ${note}: ${shownText(beginningOf(text))}`),
      ];
    },
    /** The lines that are left at the end. A quiet run tells the reasons of skipped cases too if it judged nothing. */
    atEnd: (verdict: ReportVerdict): readonly string[] => (isQuiet && verdict !== "SKIPPED" ? [] : waitingLines()),
  };
}

/** The report has the rest of a longer text. */
const LONGEST_TEXT = 500;

function beginningOf(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** The report has the ids of a longer list. */
const MOST_NAMED = 12;
const FIRST_NAMED = 3;

function named(ids: readonly string[]): string {
  if (ids.length <= MOST_NAMED) return ids.join(", ");
  return `${ids.slice(0, FIRST_NAMED).join(", ")} and ${ids.length - FIRST_NAMED} more`;
}
