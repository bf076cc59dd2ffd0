// R29, R17: which epochs were given out, and which of them never became durable.
import { describe, expect, it } from "vitest";
import type { DurableState, StateKey } from "../../../src/contracts/journal.js";
import { createEpochBoots } from "../../../src/engine/journal/epoch-boots.js";

const STEP = 2 ** 32;
const SILENT = { error: () => undefined };

/** The runs of a journal: of each its first epoch, and the last one that the disk has; the present one begins at `first`. */
function runsOf(before: readonly (readonly [first: number, last: number])[], first: number) {
  const put: StateKey[] = [];
  const durableState: DurableState = {
    isDurable: true,
    put: (key) => void put.push(key),
    recovered: () => before.map(([start, last]) => [["boot", start], last] as const),
  };
  return { runs: createEpochBoots({ durableState, head: () => first - 1 }, SILENT), put };
}

describe("epochs of several runs", () => {
  // The second made nothing durable; that the third began was never written.
  const { runs, put } = runsOf(
    [
      [1000, 1010],
      [1000 + STEP, 999 + STEP],
      [1000 + 3 * STEP, 1005 + 3 * STEP],
    ],
    1000 + 4 * STEP,
  );

  it("that it began is kept at once", () => {
    expect(put).toContainEqual(["boot", 1000 + 4 * STEP]);
  });

  it.each([
    ["of the first run, durable", 1010, false],
    ["of the first run, beyond what it made durable", 1011, true],
    ["before the first of a run that made nothing durable", 999 + STEP, false],
    ["of that run", 1000 + STEP, true],
    ["of a run that nothing is known of", 1000 + 2 * STEP, true],
    ["before the first of a run", 999 + 3 * STEP, false],
    ["the last durable one of a run", 1005 + 3 * STEP, false],
    ["beyond that", 1006 + 3 * STEP, true],
    ["before the first of this run", 999 + 4 * STEP, false],
    ["of this run", 1000 + 4 * STEP, false],
    ["before all that is known", 10, true],
  ] as const)("R17: %s", (_, epoch, isVoid) => {
    expect(runs.isVoid(epoch)).toBe(isVoid);
  });

  it("the next one after an epoch is the next that is durable, over runs that made nothing so", () => {
    expect(runs.next(1009)).toBe(1010);
    for (const epoch of [1010, 1011, 1000 + STEP, 1000 + 2 * STEP, 999 + 3 * STEP])
      expect(runs.next(epoch)).toBe(1000 + 3 * STEP);
    expect(runs.next(1005 + 3 * STEP)).toBe(1000 + 4 * STEP);
    expect(runs.next(10)).toBe(1000);
  });

  it("steps and counts leave out what was never durable", () => {
    expect(runs.previous(1000 + 4 * STEP)).toBe(1005 + 3 * STEP);
    expect(runs.previous(1000 + 3 * STEP)).toBe(1010);
    expect(runs.count(1008, 1001 + 4 * STEP)).toBe(2 + 6 + 2);
    const { runs: alone } = runsOf([[1000, 999]], 1000 + STEP);
    expect(alone.count(999, 1001 + STEP)).toBe(2);
  });

  it("of runs that are not remembered any more nothing is known: their epochs are taken for durable", () => {
    const many = Array.from({ length: 1500 }, (_, index) => [1000 + index * STEP, 1005 + index * STEP] as const);
    const { runs: known } = runsOf(many, 1000 + 1500 * STEP);
    expect(known.isVoid(1006 + 10 * STEP)).toBe(false);
    expect(known.isVoid(1006 + 600 * STEP)).toBe(true);
    expect(known.next(1005 + 10 * STEP)).toBe(1006 + 10 * STEP);
  });
});
