// The claim that a run supports (AAEP §9.8), or the reason that there is none.
import { type CaseResult, SUITE_VERSION, type SuiteRun } from "../findings/finding.js";
import { isOfLevel, levelWithout, mostlySkipped, type UnjudgedLevel } from "./belonging.js";
import { visibleLine } from "./visible-text.js";

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
  const unseen = levelWithout(run, hasPassed);
  if (!ofLevel.some(hasPassed)) return "No case of the level passed.";
  if (unseen !== undefined) return `No case of level ${unseen} passed.`;
  const needed = ofLevel.find(({ about, verdict }) => about.claimNeeds !== undefined && verdict.kind === "skipped");
  if (needed !== undefined) return `${idsOf([needed])} was skipped. ${needed.about.claimNeeds}`;
  const unjudged = mostlySkipped(run);
  if (unjudged !== undefined) return reasonAgainstSkipping(unjudged);
  const warnings = run.results.filter(hasFailed).filter(({ about }) => about.severity === "warning");
  if (failOnWarning && warnings.length > 0)
    return `${counted(warnings.length, "recommended case")} failed: ${idsOf(warnings)}.`;
  return run.target.name.trim() === "" ? "The target has no name. Give one with --name." : undefined;
}

function reasonAgainstSkipping({ level, passedCount, skippedCount }: UnjudgedLevel): string {
  const counts = `${counted(skippedCount, "case")} of level ${level} ${skippedCount === 1 ? "was" : "were"} skipped, and ${passedCount} passed`;
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
  const skipped = run.results.filter(({ verdict }) => verdict.kind === "skipped");
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

function hasFailed({ verdict }: CaseResult): boolean {
  return verdict.kind === "failed";
}

function idsOf(results: readonly CaseResult[]): string {
  return results.map(({ about }) => visibleLine(about.id)).join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
