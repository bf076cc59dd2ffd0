// The cases that a verdict is made of, and the claim that a run supports (AAEP §9.8), or the reason that there is none.
import {
  type CaseDescription,
  type CaseResult,
  type Level,
  SUITE_VERSION,
  type SuiteRun,
} from "../findings/finding.js";
import { visibleLine } from "./visible-text.js";

/** Whether the case is part of the level that was tested, or of a level below. */
function isOfLevel(run: SuiteRun, about: CaseDescription): boolean {
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

function resultsOf(run: SuiteRun, level: Level): readonly CaseResult[] {
  return run.results.filter(({ about }) => isOfLevel(run, about) && about.level === level);
}

/** Exactly one of both is null. */
export type Claim =
  | { readonly claim: string; readonly refused: null }
  | { readonly claim: null; readonly refused: string };

/** Words of claims that this suite cannot support. A target's name could bring them in. */
const FOREIGN_WORDS = ["compliant", "certified", "conformance suite", "aaep-conformance"];

/**
 * Words the claim: name, suite, level and date, then the role, each set of extensions, and the ids of skipped cases. A failed case of an extension
 * does not refuse the claim, which says so. The claim is refused while a MUST of the level fails, while no case of one of its levels passed or more
 * of them were skipped than passed, while a case is skipped that the claim needs, for a run of chosen cases, for a failed SHOULD where
 * `failOnWarning` is set, and for a name that would make the claim say more than the suite does.
 */
export function claimOf(run: SuiteRun, failOnWarning: boolean): Claim {
  const claim = wording(run);
  const refused = reasonAgainst(run, failOnWarning) ?? reasonAgainstWords(claim);
  return refused === undefined ? { claim, refused: null } : { claim: null, refused };
}

function reasonAgainst(run: SuiteRun, failOnWarning: boolean): string | undefined {
  if (run.chosen !== undefined) return "Cases were chosen. A claim needs all cases of the level.";
  const ofLevel = run.results.filter(({ about }) => isOfLevel(run, about));
  const required = ofLevel.filter(hasFailed).filter(({ about }) => about.severity === "error");
  if (required.length > 0)
    return `${counted(required.length, "required case")} of the level failed: ${idsOf(required)}.`;
  if (!ofLevel.some(hasPassed)) return "No case of the level passed.";
  const unseen = levelWithout(run, hasPassed);
  if (unseen !== undefined) return `No case of level ${unseen} passed.`;
  const needed = ofLevel.find(({ about, verdict }) => about.claimNeeds !== undefined && verdict.kind === "skipped");
  if (needed !== undefined) return `${idsOf([needed])} was skipped. ${needed.about.claimNeeds}`;
  const skipping = LEVELS.map((level) => reasonAgainstSkipping(run, level)).find((reason) => reason !== undefined);
  if (skipping !== undefined) return skipping;
  const warnings = run.results.filter(hasFailed).filter(({ about }) => about.severity === "warning");
  if (failOnWarning && warnings.length > 0)
    return `${counted(warnings.length, "recommended case")} failed: ${idsOf(warnings)}.`;
  return run.target.name.trim() === "" ? "The target has no name. Give one with --name." : undefined;
}

/** More cases of the level were skipped than passed. */
function reasonAgainstSkipping(run: SuiteRun, level: Level): string | undefined {
  const results = resultsOf(run, level);
  const [passed, skipped] = [results.filter(hasPassed).length, results.filter(isSkipped).length];
  if (skipped <= passed) return undefined;
  const counts = `${counted(skipped, "case")} of level ${level} ${skipped === 1 ? "was" : "were"} skipped, and ${passed} passed`;
  return `${counts}. Let the target show more, so that more pass than are skipped.`;
}

function reasonAgainstWords(claim: string): string | undefined {
  const plain = claim.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
  const word = FOREIGN_WORDS.find((one) => plain.includes(one));
  return word === undefined ? undefined : `The claim would say "${word}". Give the target another name with --name.`;
}

function wording(run: SuiteRun): string {
  const date = run.completedAt.slice(0, 10);
  const name = visibleLine(run.target.name.trim().replace(/\s+/g, " "));
  const skipped = run.results.filter(isSkipped);
  const sentences = [
    `${name} passes the aaepd suite ${SUITE_VERSION} at level ${run.level} on ${date}.`,
    `It was tested as a ${run.target.role}.`,
    ...run.extensions.map((extension) => aboutExtension(run, extension)),
    skipped.length === 0 ? "No case was skipped." : `Skipped: ${counted(skipped.length, "case")} (${idsOf(skipped)}).`,
  ];
  return sentences.join(" ");
}

function aboutExtension(run: SuiteRun, extension: string): string {
  const results = run.results.filter(({ about }) => about.extension === extension);
  const failed = results.filter(hasFailed).filter(({ about }) => about.severity === "error");
  const name = visibleLine(extension);
  if (failed.length > 0) return `It fails the extension set ${name} (${idsOf(failed)}).`;
  return results.some(hasPassed)
    ? `It passes the extension set ${name}.`
    : `No case of the extension set ${name} passed.`;
}

function hasPassed({ verdict }: CaseResult): boolean {
  return verdict.kind === "passed";
}

function isSkipped({ verdict }: CaseResult): boolean {
  return verdict.kind === "skipped";
}

function hasFailed({ verdict }: CaseResult): boolean {
  return verdict.kind === "failed";
}

function idsOf(results: readonly CaseResult[]): string {
  return results.map(({ about }) => visibleLine(about.id)).join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
