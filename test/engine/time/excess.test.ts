// R34: whose messages let others go first.
import { expect, it } from "vitest";
import { Excess } from "../../../src/engine/time/excess.js";

/** The weight of an owner after each piece of work: [ms since the one before, ms too long]. */
function weightsAfter(...pieces: readonly (readonly [sinceMs: number, ms: number])[]): readonly string[] {
  let now = 1000;
  const excess = new Excess({ now: () => now });
  return pieces.map(([sinceMs, ms]) => {
    now += sinceMs;
    excess.note(ms, now);
    return excess.weight;
  });
}

it("nobody knows the weight of an owner before its first work is over", () => {
  expect(new Excess({ now: () => 5 }).weight).toBe("unknown");
  expect(weightsAfter([0, 0])).toEqual(["light"]);
});

it("a piece that was less than 10 ms too long makes nobody heavy, as it may be the machine's doing", () => {
  expect(weightsAfter([0, 9.9], [10, 0])).toEqual(["light", "light"]);
  expect(weightsAfter([0, 10], [10, 0])).toEqual(["heavy", "light"]);
});

it("an owner is heavy while its work is too long for more than a tenth of the time, whatever it does between", () => {
  const often = Array.from({ length: 20 }, (_, index) => [10, index % 2 === 0 ? 6 : 0] as const);
  expect(weightsAfter(...often).slice(4)).not.toContain("light");
  const seldom = Array.from({ length: 20 }, () => [100, 9] as const);
  expect(weightsAfter(...seldom)).not.toContain("heavy");
});

it("an owner that did nothing for long is light again", () => {
  let now = 0;
  const excess = new Excess({ now: () => now });
  excess.note(20, now);
  now = 100;
  expect(excess.weight).toBe("heavy");
  now = 101;
  expect(excess.weight).toBe("light");
});

it("work that is shorter than a turn makes good for nothing", () => {
  expect(weightsAfter([0, 10], [0, -2], [0, -2])).toEqual(["heavy", "heavy", "heavy"]);
});
