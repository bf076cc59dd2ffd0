// Verdicts that a case throws, so that a case reads as the steps of its rule. A case that comes to its end has passed. A case that saw nothing has
// not passed: its result is "skipped", with the reason.
import { Fault } from "../../base/errors.js";
import type { Evidence, Verdict } from "./finding.js";

/** Carries the verdict of a case out of it. */
class Judged extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.kind === "failed" ? verdict.seen : verdict.kind);
    this.verdict = verdict;
  }
}

const LONGEST_EVIDENCE = 4000;

/** Ends the case: the rule is broken. Both sentences are about the tested side. */
export function fail(expected: string, seen: string, evidence: readonly Evidence[] = []): never {
  throw new Judged({
    kind: "failed",
    expected,
    seen,
    evidence: evidence.map(({ note, text }) => ({
      note,
      ...(text === undefined ? {} : { text: text.slice(0, LONGEST_EVIDENCE) }),
    })),
  });
}

/** Ends the case: it cannot judge. */
export function skip(reason: string): never {
  throw new Judged({ kind: "skipped", reason });
}

/** Returns the verdict that a case ended with. Rethrows every other error: it shows a fault of the suite. */
export function verdictIn(caught: unknown): Verdict {
  if (caught instanceof Judged) return caught.verdict;
  if (caught instanceof Fault) return { kind: "skipped", reason: `The case could not go on: ${caught.sentence}` };
  throw caught;
}
