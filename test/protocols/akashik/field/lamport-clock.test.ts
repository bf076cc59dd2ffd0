// The Field's clock over kills at any moment: no epoch that was seen is ever given again.
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  FURTHEST_AHEAD,
  LARGEST_RECEIVED,
  LamportClock,
} from "../../../../src/protocols/akashik/field/lamport-clock.js";

const MOVES = fc.array(fc.oneof(fc.constant("tick"), fc.constant("kill"), fc.integer({ min: 0, max: 5000 })), {
  maxLength: 60,
});

it("starts behind everything that was seen before a kill", () => {
  fc.assert(
    fc.property(MOVES, (moves) => {
      let kept = 0;
      const boot = () =>
        new LamportClock(kept, (end) => {
          kept = end;
        });
      let clock = boot();
      let seen = -1;
      for (const move of moves) {
        if (move === "kill") {
          clock = boot();
          continue;
        }
        if (typeof move === "string") clock.tick();
        else expect(clock.receive(move)).toBe(true);
        expect(clock.now()).toBeGreaterThan(seen);
        seen = clock.now();
        expect(kept).toBeGreaterThan(seen + 1023);
      }
    }),
  );
});

it("is kept once for about a thousand messages", () => {
  let count = 0;
  const clock = new LamportClock(0, () => {
    count += 1;
  });
  for (let message = 0; message < 10_240; message += 1) clock.receive(0);
  expect(count).toBe(10);
});

it("cannot be used up by peers", () => {
  const clock = new LamportClock(LARGEST_RECEIVED - 1, () => {});
  expect(clock.receive(LARGEST_RECEIVED)).toBe(true);
  expect(clock.receive(LARGEST_RECEIVED + 2)).toBe(false);
  expect(clock.tick()).toBe(LARGEST_RECEIVED + 2);
  // An agent says the newest epoch that it has seen.
  expect(clock.receive(clock.now())).toBe(true);
  expect(new LamportClock(5, () => {}).receive(5 + FURTHEST_AHEAD + 1)).toBe(false);
});
