import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SUITE_VERSION, type SuiteRun } from "../../../src/conformance/findings/finding.js";
import { type Claim, claimOf } from "../../../src/conformance/report/claim.js";
import { casesOf } from "../../support/extent.js";
import { FAILED, hostileRun, PASSED, result, runOf, SKIPPED } from "./runs.js";

const ALL = [
  result("P1-a", PASSED),
  result("P2-a", PASSED, { level: 2 }),
  result("P3-a", PASSED, { level: 3 }),
] as const;
const OPENING = `Teller passes the aaepd suite ${SUITE_VERSION} at level 3 on 2026-11-21. It was tested as a producer.`;

function named(name: string): Partial<SuiteRun> {
  return { target: { role: "producer", endpoint: "stdio:teller", name } };
}

function refusal(
  results: SuiteRun["results"],
  changes: Partial<SuiteRun> = {},
  failOnWarning = false,
): Claim["refused"] {
  const { claim, refused } = claimOf(runOf(results, changes), failOnWarning);
  expect(claim === null).toBe(refused !== null);
  return refused;
}

describe("AAEP §9.8: the claim", () => {
  it("names the target, the suite, the level, the date and the role", () => {
    expect(claimOf(runOf(ALL), false).claim).toBe(`${OPENING} No case was skipped.`);
  });

  it("names what was skipped", () => {
    const one = [...ALL, result("P3-b", SKIPPED, { level: 3 })];
    expect(claimOf(runOf(one), false).claim).toBe(`${OPENING} Skipped: 1 case (P3-b).`);
    const two = [...one, result("X-a", SKIPPED, { extension: "aaepd" })];
    expect(claimOf(runOf(two), false).claim).toBe(`${OPENING} Skipped: 2 cases (P3-b, X-a).`);
  });

  it("says how each set of extensions went, and none of them refuses it", () => {
    const results = [
      ...ALL,
      result("X-a", PASSED, { extension: "good" }),
      result("X-b", FAILED, { extension: "good", severity: "warning" }),
      result("X-c", PASSED, { extension: "bad" }),
      result("X-d", FAILED, { extension: "bad" }),
      result("X-e", SKIPPED, { extension: "unseen" }),
    ];
    expect(claimOf(runOf(results, { extensions: ["good", "bad", "unseen"] }), false).claim).toBe(
      `${OPENING} It passes the extension set good. It fails the extension set bad (X-d). ` +
        "No case of the extension set unseen passed. Skipped: 1 case (X-e).",
    );
  });

  it("is refused while a case is skipped without which it would say nothing", () => {
    const claimNeeds = "Let the suite see what the subscriber announces.";
    expect(refusal([...ALL, result("S1-announces", SKIPPED, { claimNeeds })])).toBe(
      `S1-announces was skipped. ${claimNeeds}`,
    );
    expect(refusal([...ALL, result("S1-announces", PASSED, { claimNeeds })])).toBeNull();
  });

  it("stands for the levels that were tested only", () => {
    const results = [...ALL.slice(0, 2), result("P3-a", FAILED, { level: 3 })];
    expect(claimOf(runOf(results, { level: 2 }), false).claim).toContain("at level 2");
  });
});

describe("AAEP §9.7: there is no claim", () => {
  it("while a required case of the level fails", () => {
    expect(refusal([...ALL, result("P3-b", FAILED, { level: 3 })])).toBe("1 required case of the level failed: P3-b.");
    expect(refusal([...ALL, result("P1-b", FAILED), result("P2-b", FAILED, { level: 2 })])).toBe(
      "2 required cases of the level failed: P1-b, P2-b.",
    );
  });

  it("while more cases of a level were skipped than passed", () => {
    const skipped = (level: 1 | 2 | 3, count: number) =>
      Array.from({ length: count }, (_, index) => result(`P${level}-skipped-${index}`, SKIPPED, { level }));
    expect(claimOf(runOf([...ALL, ...skipped(1, 1), ...skipped(2, 1), ...skipped(3, 1)]), false).refused).toBeNull();
    expect(refusal([...ALL, ...skipped(2, 23)])).toBe(
      "23 cases of level 2 were skipped, and 1 passed. Let the target show more, so that more pass than are skipped.",
    );
    expect(claimOf(runOf([...ALL, ...skipped(3, 9)], { level: 2 }), false).refused).toBeNull();
  });

  it("when cases were chosen", () => {
    expect(refusal(ALL, { chosen: ["P1-a"] })).toMatch(/^Cases were chosen\./);
  });

  it("when nothing passed, in all or at one of the levels", () => {
    expect(refusal([])).toBe("No case of the level passed.");
    expect(refusal([result("P1-a", SKIPPED), result("X-a", PASSED, { extension: "aaepd" })])).toBe(
      "No case of the level passed.",
    );
    expect(refusal([...ALL.slice(0, 2), result("P3-a", SKIPPED, { level: 3 })])).toBe("No case of level 3 passed.");
    expect(refusal([result("P1-a", SKIPPED), ...ALL.slice(1)])).toBe("No case of level 1 passed.");
    expect(refusal([ALL[0], result("P2-a", SKIPPED, { level: 2 }), ALL[2]])).toBe("No case of level 2 passed.");
  });

  it("where warnings were to refuse it and one failed", () => {
    const results = [...ALL, result("P1-b", FAILED, { severity: "warning" })];
    expect(refusal(results)).toBeNull();
    expect(refusal(results, {}, true)).toBe("1 recommended case failed: P1-b.");
    expect(refusal(ALL, {}, true)).toBeNull();
  });

  it("for a target without a name, or with one that says more than the suite does", () => {
    expect(refusal(ALL, named(" \n"))).toBe("The target has no name. Give one with --name.");
    for (const name of [
      "Certified Teller",
      "Teller (AAEP Compliant)",
      "AAEP  Conformance\nSuite",
      "ｃｅｒｔｉｆｉｅｄ",
    ])
      expect(refusal(ALL, named(name))).toMatch(/^The claim would say "/);
  });

  it("never says more, whatever the target calls itself", () => {
    const word = fc.constantFrom("AAEP", "compliant", "Certified", "conformance suite", "aaep-conformance", " ");
    const name = fc.array(word).map((words) => words.join(" "));
    fc.assert(
      fc.property(hostileRun, name, fc.boolean(), (run, called, failOnWarning) => {
        for (const one of [run, runOf([...ALL, ...run.results], named(called))]) {
          const { claim, refused } = claimOf(one, failOnWarning);
          expect((claim === null) !== (refused === null)).toBe(true);
          expect(claim ?? "").not.toMatch(/compliant|certified|conformance suite|aaep-conformance|\n/i);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
