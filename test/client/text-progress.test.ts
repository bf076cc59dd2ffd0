// R17: text of an output that comes again is recognised by its position and by its characters.
import { expect, it } from "vitest";
import { createTextProgress } from "../../src/client/text-progress.js";

const MOST = 2 * 16_384;
const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => String.fromCodePoint(0x4e00 + ((from + index) % 20_000)));

it("takes new text whole, and of a repeat nothing", () => {
  const progress = createTextProgress();
  expect(progress.take(["a", "b"], 0)).toBe(0);
  expect(progress.take(["a", "b"], 0)).toBe(2);
  expect(progress.take(["b", "c"], 1)).toBe(1);
  expect(progress.take(["d"], 7)).toBe(0);
  // What stood in between is not known, and is recognised by its position.
  expect(progress.take(["x"], 6)).toBe(1);
});

it("other text in any piece is recognised", () => {
  const progress = createTextProgress();
  progress.take(["a", "b"], 0);
  progress.take(["c"], 2);
  expect(progress.take(["a", "x"], 0)).toBe(1);
});

it("other text at a known place voids all text behind it", () => {
  const progress = createTextProgress();
  progress.take([..."One two."], 0);
  expect(progress.completes(true)).toBe(true);
  expect(progress.completes(true)).toBe(false);
  expect(progress.take([..."One, two."], 0)).toBe(3);
  expect(progress.completes(true)).toBe(true);
  expect(progress.take([..."One, two."], 0)).toBe(9);
});

it("recognises other text in the newest 32,768 characters, and in 16,384 once there were more", () => {
  const full = createTextProgress();
  full.take(numbered(0, MOST), 0);
  expect(full.take(["x"], 0)).toBe(0);

  const over = createTextProgress();
  over.take(numbered(0, MOST + 1), 0);
  const remembered = MOST + 1 - 16_384;
  expect(over.take(["x"], remembered - 1)).toBe(1);
  expect(over.take(["x"], remembered)).toBe(0);
});

it("text before a place is recognised by position alone", () => {
  const progress = createTextProgress();
  progress.take([..."One"], 0);
  progress.keep();
  expect(progress.take([..."Two"], 0)).toBe(3);
  progress.take([..." two"], 3);
  expect(progress.take([..."Two, "], 0)).toBe(3);
});
