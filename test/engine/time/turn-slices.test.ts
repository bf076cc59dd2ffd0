// Work that arrives all at once is done in slices over several turns of the event loop (R34).
import { expect, test } from "vitest";
import { createTurnSlices } from "../../../src/engine/time/turn-slices.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

test("a task that fails holds nothing up but itself", () => {
  const clock = createVirtualClock();
  const failures: unknown[] = [];
  const slices = createTurnSlices(clock, (caught) => void failures.push(caught), 2);
  const done: number[] = [];
  const accident = new Error("an accident");
  slices.add(1, () => done.push(1));
  slices.add(1, () => {
    throw accident;
  });
  expect(failures).toEqual([accident]);
  for (const index of [2, 3, 4]) slices.add(1, () => done.push(index));
  expect([done, slices.waitingCount()]).toEqual([[1], 3]);
  clock.turn();
  expect(done).toEqual([1, 2, 3]);
  clock.settle();
  expect([done, slices.waitingCount()]).toEqual([[1, 2, 3, 4], 0]);
});
