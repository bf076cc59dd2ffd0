// The history of texts: what is kept of it, and what is said of what is not.
import { expect, test } from "vitest";
import { gistOf } from "../../../src/cli/speak/spoken-output.js";
import { createHeardTexts, type HeardText, leftOutOf } from "../../../src/cli/terminal/heard-texts.js";

const CLAUDE = { speaker: "Claude", language: "en" };
const MEGABYTE = "It is a sentence. ".repeat(60_000).slice(0, 1_000_000);

test("of any number of open outputs four million characters are kept, and of the others a beginning", () => {
  const texts = createHeardTexts();
  const outputs = Array.from({ length: 50 }, (_, n) => texts.add(CLAUDE, `This is the output of number ${n}. `));
  for (let turn = 0; turn < 10; turn += 1)
    for (const one of outputs) texts.append(one, MEGABYTE.slice(turn * 100_000, (turn + 1) * 100_000));
  const kept = outputs.reduce((sum, { text }) => sum + text.length, 0);
  expect(kept).toBeLessThan(4_000_000 + 50 * 1000);
  expect(kept).toBeGreaterThan(3_000_000);
  expect(gistOf(outputs[0] as HeardText, {})).toMatchObject({
    first: "This is the output of number 0.",
    rest: expect.stringMatching(/^and more than \d\d sentences\.$/),
  });
});

test("a text that is too long, and one that is no longer there, are told", () => {
  const texts = createHeardTexts();
  expect([texts.again(), texts.back()]).toEqual(["There is no text yet.", "That was the first text."]);
  const one = texts.add(CLAUDE, MEGABYTE);
  expect(leftOutOf(one)).toBe("");
  texts.append(one, "End.");
  expect([one.text === MEGABYTE, leftOutOf(one)]).toEqual([true, "The text goes on for 4 characters, not kept."]);
  for (let count = 0; count < 200; count += 1) texts.add(CLAUDE, `Text ${count}.`);
  for (let count = 198; count >= 0; count -= 1) expect(texts.back()).toMatchObject({ text: `Text ${count}.` });
  expect(texts.back()).toBe("That was the oldest text that is kept.");
  expect(texts.again()).toMatchObject({ text: "Text 0." });
});

test("again reads the oldest text that is kept where the one that was read last is not", () => {
  const texts = createHeardTexts();
  const outputs = Array.from({ length: 6 }, (_, index) => texts.add(CLAUDE, `Text ${index}.`));
  for (let count = 0; count < 5; count += 1) texts.back();
  expect(texts.again()).toBe(outputs[0]);
  for (const one of outputs.slice(2)) texts.append(one, MEGABYTE);
  expect(texts.again()).toBe(outputs[2]);
});

test("a gist reads no more of a long text than it needs", () => {
  const texts = createHeardTexts();
  const [short, long] = [texts.add(CLAUDE, MEGABYTE.slice(0, 50_000)), texts.add(CLAUDE, MEGABYTE)];
  expect(gistOf(long, {})).toEqual(gistOf(short, {}));
  expect(gistOf(texts.add(CLAUDE, "One is here now, and long. The second is here."), {}).rest).toBe("and 1 sentence.");
});
