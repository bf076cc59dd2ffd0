// R34: whose messages let others go first.
import { expect, it } from "vitest";
import { Excess } from "../../../src/engine/time/excess.js";

/** Whether an owner is heavy after each piece of work: [instant, ms too long]. */
function heavyAfter(...pieces: readonly (readonly [now: number, ms: number])[]): readonly boolean[] {
  const excess = new Excess();
  return pieces.map(([now, ms]) => {
    excess.note(ms, now);
    return excess.isHeavy;
  });
}

it("an owner is heavy before its first work", () => {
  expect(new Excess().isHeavy).toBe(true);
  expect(heavyAfter([1000, 0])).toEqual([false]);
});

it("a piece that was less than 10 ms too long makes nobody heavy, as it may be the machine's doing", () => {
  expect(heavyAfter([1000, 9.9], [1050, 0])).toEqual([false, false]);
  expect(heavyAfter([1000, 10], [1050, 0])).toEqual([true, false]);
});

it("an owner is heavy while its work is too long for more than a tenth of the time, whatever it does between", () => {
  const often = Array.from({ length: 20 }, (_, index) => [1000 + 10 * index, index % 2 === 0 ? 6 : 0] as const);
  expect(heavyAfter(...often).slice(4)).not.toContain(false);
  const seldom = Array.from({ length: 20 }, (_, index) => [1000 + 100 * index, 9] as const);
  expect(heavyAfter(...seldom)).not.toContain(true);
});

it("work that is shorter than a turn makes good for nothing", () => {
  expect(heavyAfter([1000, 10], [1000, -2], [1000, -2])).toEqual([true, true, true]);
});
