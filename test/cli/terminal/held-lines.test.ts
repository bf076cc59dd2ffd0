// Lines that wait while a question is being asked.
import { expect, test } from "vitest";
import { createHeldLines } from "../../../src/cli/terminal/held-lines.js";

test("lines come in order, once; of too many the oldest are counted", () => {
  const held = createHeldLines(2);
  for (const line of ["one", "two", "three"]) held.add(line);
  expect(held.take()).toEqual(["(1 earlier lines are not shown)", "two", "three"]);
  expect(held.take()).toEqual([]);
});

test("what is true only now is asked for when it is shown, and left out where it is no news any more", () => {
  const held = createHeldLines(10);
  let secondsLeft: number | undefined = 35;
  held.add("before");
  held.add(() => (secondsLeft === undefined ? undefined : `${secondsLeft} seconds left`));
  held.add("after");
  secondsLeft = 20;
  expect(held.take()).toEqual(["before", "20 seconds left", "after"]);
  held.add(() => (secondsLeft === undefined ? undefined : `${secondsLeft} seconds left`));
  secondsLeft = undefined;
  expect(held.take()).toEqual([]);
});
