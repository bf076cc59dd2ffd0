// The words of the conformance suite (AAEP chapter 9).
import { Fault } from "../../base/errors.js";

/** The version of the suite. It changes with every case whose verdicts can change. */
export const SUITE_VERSION = "1.2.0";
/** The version of the specification that the cases are made from. */
export const SPECIFICATION_VERSION = "1.0.0";

/** The side of AAEP that is tested. */
export type Role = "producer" | "subscriber";

/** AAEP §9.2. */
export type Level = 1 | 2 | 3;

/** "error": a MUST or MUST NOT. "warning": a SHOULD, which fails nothing. */
export type Severity = "error" | "warning";

/** A case as the table of requirements and the report name it. */
export interface CaseDescription {
  /** Stable, as in "P3-rate": the role, the level and the name of the rule. */
  readonly id: string;
  /** One sentence: the rule, with the tested side as its subject. */
  readonly title: string;
  /** The paragraphs that the case is made from, as in "AAEP §5.5.2". The first is the main one. */
  readonly paragraphs: readonly string[];
  readonly role: Role;
  readonly level: Level;
  readonly severity: Severity;
  /** The set of a case that is no part of a level, as in "aaepd". Undefined: the case belongs to its level. */
  readonly extension?: string;
  /** Present if a claim is worth nothing while the case is skipped: one sentence that says how to let it judge. */
  readonly claimNeeds?: string;
}

/** A case by its id, which begins with the role and the level as in "P3-rate", or with "A-" for the set "aaepd". A MUST. */
export function caseOf(id: string, title: string, paragraphs: readonly string[]): CaseDescription {
  const common = { id, title, paragraphs, severity: "error" } as const;
  if (id.startsWith("A-")) return { ...common, role: "producer", level: 3, extension: "aaepd" };
  return { ...common, role: id.startsWith("P") ? "producer" : "subscriber", level: Number(id[1]) as Level };
}

/** Something that a case saw on the wire, or that it waited for and did not see. */
export interface Evidence {
  /** One sentence, or the name of the message: "sent", "received". */
  readonly note: string;
  /** The bytes, as text, at most 4,000 characters. Undefined: nothing was there. */
  readonly text?: string;
}

export type Verdict =
  | { readonly kind: "passed" }
  | {
      readonly kind: "failed";
      readonly expected: string;
      readonly seen: string;
      readonly evidence: readonly Evidence[];
    }
  /** The case could not judge: the target was not there, or could not be made to show what the case is about. */
  | { readonly kind: "skipped"; readonly reason: string };

export interface CaseResult {
  readonly about: CaseDescription;
  readonly verdict: Verdict;
  readonly durationMs: number;
}

/** The tested side, as the report names it. */
interface TestedTarget {
  readonly role: Role;
  /** As it was given on the command line. */
  readonly endpoint: string;
  /** `--name`, or the endpoint of a producer and the command of a subscriber. */
  readonly name: string;
}

/** One run of the suite. */
export interface SuiteRun {
  readonly target: TestedTarget;
  readonly level: Level;
  /** Sets of cases beyond the level. */
  readonly extensions: readonly string[];
  /** The cases that were chosen by `--case`; undefined: all of the level. A run of chosen cases makes no claim. */
  readonly chosen: readonly string[] | undefined;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** RFC 3339, UTC. */
  readonly completedAt: string;
  /** In the order of the table of requirements. */
  readonly results: readonly CaseResult[];
}

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
