// The cases that a run's verdict is made of.
import type { CaseDescription, CaseResult, Level, SuiteRun } from "../findings/finding.js";

/** Whether the case is part of the level that was tested, or of a level below. */
export function isOfLevel(run: SuiteRun, about: CaseDescription): boolean {
  return about.extension === undefined && about.level <= run.level;
}

/** Whether the case can fail the verdict: it is of the level or of a set that was asked for, or it was chosen by its id. */
function counts(run: SuiteRun, about: CaseDescription): boolean {
  if (run.chosen?.includes(about.id) === true || isOfLevel(run, about)) return true;
  return about.extension !== undefined && run.extensions.includes(about.extension);
}

/** Whether the result fails the verdict (AAEP §9.7): a MUST that counts, and that failed. `failOnWarning`: a SHOULD fails it too. */
export function failsVerdict(run: SuiteRun, { about, verdict }: CaseResult, failOnWarning: boolean): boolean {
  return verdict.kind === "failed" && (about.severity === "error" || failOnWarning) && counts(run, about);
}

const LEVELS: readonly Level[] = [1, 2, 3];

/** The lowest level of the run that has cases, and none with such a result. */
export function levelWithout(run: SuiteRun, isWanted: (result: CaseResult) => boolean): Level | undefined {
  return LEVELS.find((level) => {
    const results = resultsOf(run, level);
    return results.length > 0 && !results.some(isWanted);
  });
}

export interface UnjudgedLevel {
  readonly level: Level;
  readonly passedCount: number;
  readonly skippedCount: number;
}

/** The lowest level of the run of which more cases were skipped than passed. */
export function mostlySkipped(run: SuiteRun): UnjudgedLevel | undefined {
  return LEVELS.map((level) => {
    const kinds = resultsOf(run, level).map(({ verdict }) => verdict.kind);
    const count = (kind: (typeof kinds)[number]): number => kinds.filter((one) => one === kind).length;
    return { level, passedCount: count("passed"), skippedCount: count("skipped") };
  }).find(({ passedCount, skippedCount }) => skippedCount > passedCount);
}

function resultsOf(run: SuiteRun, level: Level): readonly CaseResult[] {
  return run.results.filter(({ about }) => isOfLevel(run, about) && about.level === level);
}
