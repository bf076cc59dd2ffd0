import { expect, it } from "vitest";
import { createResumePoints } from "../../src/engine/resume-points.js";

const SUBSCRIBERS_KEPT = 1000;

function pointsOf() {
  return createResumePoints({
    journal: { find: () => undefined, head: () => 1_000_000, oldest: () => 0 },
    kept: { isKept: false, put: () => {}, removeAll: () => {}, recovered: () => [] },
    log: { error: () => {} },
    runs: { isBefore: () => false },
    lows: { before: () => undefined, returning: () => undefined, known: () => undefined },
  });
}

it("R17: of more subscribers than are remembered, those that were silent longest are forgotten, over several rounds", () => {
  const points = pointsOf();
  const isKnown = (number: number): boolean =>
    points.after(`listener-${number}`, "evt_unknown", undefined) !== undefined;
  const deliver = (number: number, low: number): void =>
    points.delivered(`listener-${number}`, "sess_1", "evt_1", low, low);
  const count = SUBSCRIBERS_KEPT + 500;
  for (let round = 0; round < 5; round += 1)
    for (let number = 0; number < count; number += 1) deliver(number, round * count + number);
  for (let number = 0; number < count; number += 1)
    expect(isKnown(number), `listener-${number}`).toBe(number >= count - SUBSCRIBERS_KEPT);
  // Spoken to again, it is not the one that is forgotten next.
  deliver(count - SUBSCRIBERS_KEPT, 9_000_000);
  deliver(count, 9_000_001);
  expect(isKnown(count - SUBSCRIBERS_KEPT)).toBe(true);
  expect(isKnown(count - SUBSCRIBERS_KEPT + 1)).toBe(false);
});
