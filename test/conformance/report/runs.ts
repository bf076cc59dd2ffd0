// Runs of the suite that reports are made from, and the texts that a hostile target puts into them.
import fc from "fast-check";
import type { CaseDescription, CaseResult, SuiteRun, Verdict } from "../../../src/conformance/findings/finding.js";
import { anyCharacter } from "../../support/any-character.js";

export const PASSED: Verdict = { kind: "passed" };
export const SKIPPED: Verdict = { kind: "skipped", reason: "The target asks no questions." };
export const FAILED: Verdict = {
  kind: "failed",
  expected: "At most 10 events arrive in a second.",
  seen: "12 events arrived.",
  evidence: [{ note: "received", text: '{"type":"aaep:agent.state.changed"}' }, { note: "No close came." }],
};

/** A result whose case is a MUST of level 1 for producers, unless told otherwise. */
export function result(id: string, verdict: Verdict, about: Partial<CaseDescription> = {}): CaseResult {
  const description: CaseDescription = {
    id,
    title: `The producer keeps the rule ${id}.`,
    paragraphs: ["AAEP §5.5.2", "AAEP §9.5.1"],
    role: "producer",
    level: 1,
    severity: "error",
    ...about,
  };
  return { about: description, verdict, durationMs: 12.4 };
}

/** A run at level 3 of a target that is named "Teller". */
export function runOf(results: readonly CaseResult[], changes: Partial<SuiteRun> = {}): SuiteRun {
  return {
    target: { role: "producer", endpoint: "unix:/run/teller.sock", name: "Teller" },
    level: 3,
    extensions: [],
    chosen: undefined,
    startedAt: "2026-11-21T09:00:00.000Z",
    completedAt: "2026-11-21T09:00:41.250Z",
    results,
    ...changes,
  };
}

/** One of every kind of result, with a set of extensions. */
export const MIXED = runOf(
  [
    result("P1-envelope", PASSED),
    result("P1-summary", FAILED, { severity: "warning" }),
    result("P2-token-once", SKIPPED, { level: 2 }),
    result("P3-rate-limit", FAILED, { level: 3 }),
    result("X-duplicate", FAILED, { level: 3, extension: "aaepd" }),
  ],
  { extensions: ["aaepd"] },
);

const NASTY = [
  ...["<script>alert(1)</script>", "</pre>", "</title>", "</style>", "<!--", "-->", "]]>", "<![CDATA["],
  ...["<?xml?>", "&amp;", "&#0;", "&lt", '"', "'", "=", "`", "\n", "\r\n", "\t", "\u0000", "\u0008"],
  ...["\u001b[2J", "\u0085", "\u202e", "\u2028", "\ufeff", "\ufffe", "\ud800", "\udc00", "👩‍👩‍👧", "ẹ̀"],
  ...[" "],
];

/** Text as bad targets send it: markup, controls, half pairs, and anything else. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc
    .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 4 })), { maxLength: 12 })
    .map((all) => all.join("")),
);

/** Verdicts with the texts that `text` makes. */
function verdictWith(text: fc.Arbitrary<string>): fc.Arbitrary<Verdict> {
  const evidence = fc.array(fc.oneof(fc.record({ note: text, text }), fc.record({ note: text })), { maxLength: 3 });
  return fc.oneof(
    fc.constant(PASSED),
    fc.record({ kind: fc.constant("skipped" as const), reason: text }),
    fc.record({ kind: fc.constant("failed" as const), expected: text, seen: text, evidence }),
  );
}

/** Runs in which every text is hostile. Ids are distinct, as in the table of requirements. */
export const hostileRun: fc.Arbitrary<SuiteRun> = fc
  .record({
    name: hostileText,
    endpoint: hostileText,
    level: fc.constantFrom(1, 2, 3),
    extensions: fc.uniqueArray(hostileText, { maxLength: 2 }),
    results: fc.array(
      fc.record({
        id: hostileText,
        title: hostileText,
        paragraphs: fc.array(hostileText, { minLength: 1, maxLength: 2 }),
        level: fc.constantFrom(1, 2, 3),
        severity: fc.constantFrom("error", "warning"),
        isExtension: fc.boolean(),
        verdict: verdictWith(hostileText),
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ name, endpoint, level, extensions, results }) =>
    runOf(
      results.map(({ verdict, isExtension, id, ...about }, index) => {
        const extension = isExtension ? extensions[0] : undefined;
        return result(`${index}${id}`, verdict, { ...about, ...(extension === undefined ? {} : { extension }) });
      }),
      { target: { role: "producer", endpoint, name }, level, extensions },
    ),
  );

/** The same run with every text of the target replaced by one letter: the shape that hostile text must not change. */
export function plainOf(run: SuiteRun): SuiteRun {
  let last = 0;
  const plain = (name: string, value: unknown): unknown => {
    if (name === "id") {
      last += 1;
      return `${last}x`;
    }
    if (name === "extension") return "x0";
    if (name === "extensions") return run.extensions.map((_, index) => `x${index}`);
    if (name === "paragraphs") return ["x"];
    return /^(?:endpoint|name|title|reason|expected|seen|note|text)$/.test(name) ? "x" : value;
  };
  return JSON.parse(JSON.stringify(run, plain)) as SuiteRun;
}
