// The smallest lives in which a property once failed, one a line of regressions.jsonl: what once went wrong, and the plan. The properties' own judges
// judge them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectNoFaults } from "../../support/oracles/delivery-facts.js";
import { hearingFaults } from "../../support/oracles/hearing-oracle.js";
import type { Plan } from "../../support/rigs/delivery-plans.js";
import { live } from "../../support/rigs/delivery-world.js";
import { restartFaults, type Step } from "../../support/rigs/restart-history.js";

interface Regression {
  readonly once: string;
  /** A life of one run, or a history of several. */
  readonly plan?: Plan;
  readonly restart?: readonly Step[];
  /** The same, where agents give up what a kill took back. */
  readonly givingUp?: readonly Step[];
}

/** JSON has no undefined, which is a value of terms: there it stands as null. */
function withUndefined(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(withUndefined);
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withUndefined(member)]));
}

const lines = readFileSync(new URL("regressions.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const REGRESSIONS = lines.map((line) => withUndefined(JSON.parse(line)) as Regression);

describe("what once went wrong", () => {
  it.each(REGRESSIONS)("$once", async ({ plan, restart, givingUp }) => {
    expect([plan, restart, givingUp].filter((one) => one !== undefined)).toHaveLength(1);
    if (plan !== undefined) expectNoFaults(...hearingFaults(live(plan)));
    if (restart !== undefined) expectNoFaults(...(await restartFaults(restart, "insist")));
    if (givingUp !== undefined) expectNoFaults(...(await restartFaults(givingUp, "give up")));
  });
});
