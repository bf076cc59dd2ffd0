import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EnclosedCharacters, Enclosures, LONGEST_ENCLOSURE } from "../../../src/engine/text/enclosures.js";
import { casesOf } from "../../support/extent.js";
import { countingSegmenter, feed, segmenter } from "./text-boundaries-support.js";

const LOOK_BACK = 700;
const CLOSING: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "„": "“”",
  "“": "”",
  "«": "»",
  "»": "«",
  '"': '"',
  "`": "`",
};

/** The rule as it reads: everything from `from` on, anew for every question. */
function isEnclosedAnew(text: string, from: number, at: number, ended: boolean): boolean | undefined {
  const awaited: string[] = [];
  let outermost = from;
  for (let index = from; index < text.length; index += 1) {
    if (index >= at && (awaited.length === 0 || index >= outermost + LONGEST_ENCLOSURE)) return false;
    if (index >= at && /^\n[\t\r ]{0,8}\n/.test(text.slice(index, index + 10))) return false;
    const character = text.charAt(index);
    if (awaited.at(-1)?.includes(character)) {
      awaited.pop();
      if (awaited.length === 0 && index >= at) return true;
      continue;
    }
    const closing = CLOSING[character];
    if (closing === undefined || ('"»'.includes(character) && !/^$|[\s([«“]/.test(text.charAt(index - 1)))) continue;
    if (awaited.length === 0) outermost = index;
    awaited.push(closing);
  }
  if (awaited.length === 0 || ended) return false;
  return text.length >= outermost + LONGEST_ENCLOSURE ? false : undefined;
}

it.each([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["“", "”"],
  ["‘", "’"],
  ["„", "“"],
  ["„", "”"],
  ["‚", "‘"],
  ["‚", "’"],
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["「", "」"],
  ["『", "』"],
  ["（", "）"],
  ["［", "］"],
  ["【", "】"],
  ["《", "》"],
  ["〈", "〉"],
  ['"', '"'],
  ["`", "`"],
])("R10: what stands between %s and %s is enclosed, once both have come", (open, close) => {
  const begun = `They said ${open}Go. Now`;
  const at = begun.indexOf(". ") + 1;
  const isEnclosed = (text: string, ended = false) => new Enclosures().isEnclosed(text, 0, 0, at, ended);
  expect(isEnclosed(`${begun}${close} and went.`)).toBe(true);
  expect(isEnclosed(begun)).toBeUndefined();
  expect(isEnclosed(begun, true)).toBe(false);
});

/** Asks at every question mark, again with each chunk until it is answered, as a scanner does. */
function ask(
  text: string,
  chunk: number,
  looks: { count: number },
  check?: (answer: unknown, from: number, at: number, end: number) => void,
) {
  const enclosures = new Enclosures();
  let at = 0;
  for (let end = Math.min(chunk, text.length); ; end = Math.min(end + chunk, text.length)) {
    const soFar = text.slice(0, end);
    const characters: EnclosedCharacters = {
      length: end,
      charAt: (index) => {
        looks.count += 1;
        return soFar.charAt(index);
      },
    };
    const isLast = end === text.length;
    for (let mark = text.indexOf("?", at); mark >= 0 && mark < end; mark = text.indexOf("?", at)) {
      const from = Math.max(0, mark - LOOK_BACK);
      const answer = enclosures.isEnclosed(characters, 0, from, mark + 1, isLast);
      check?.(answer, from, mark + 1, end);
      if (answer === undefined) break;
      at = mark + 1;
    }
    if (isLast) return;
  }
}

describe("enclosures", () => {
  it("R10: says of every place what reading the text anew from `from` says, in however many chunks it comes", () => {
    const one = fc.constantFrom(...'? ()[]„“”«»"`a\n', "? ", "\n \n", ' "', '" ', "x".repeat(90));
    const some = fc.array(
      fc.array(one, { maxLength: 12 }).map((marks) => marks.join("")),
      { maxLength: 40 },
    );
    const repeated = fc
      .tuple(some, fc.integer({ min: 1, max: 20 }))
      .map(([parts, times]) => parts.join("").repeat(times));
    fc.assert(
      fc.property(repeated, fc.constantFrom(1, 7, 100, 100_000), (text, chunk) => {
        const whole = text.slice(0, 4000);
        ask(whole, chunk, { count: 0 }, (answer, from, at, end) => {
          expect(answer).toBe(isEnclosedAnew(whole.slice(0, end), from, at, end === whole.length));
        });
      }),
      { numRuns: casesOf(200) },
    );
  });

  it.each([
    "? ",
    "(? ",
    "?) ",
    "(?) ",
    '"? ',
    '? "',
    "`? ",
    "«? »",
    "»? ",
    '` "? ',
    "([{? ",
    "? \n",
    "?\n(\n",
    "「。?",
    "a? (b ",
  ])("looks at each character of a hostile text a few times only: %j", (unit) => {
    for (const chunk of [1, 100_000]) {
      const text = unit.repeat(20_000 / unit.length);
      const looks = { count: 0 };
      ask(text, chunk, looks);
      expect(looks.count / text.length).toBeLessThan(20);
    }
  });

  it("keeps the sentence scanner's answer the same where a sentence does not end", () => {
    for (const unit of ["(? ", "` ? ", '"? a '])
      expect(feed([unit.repeat(3000)], "en", false).last(9000, "sentence")).toBe(
        feed(
          Array.from({ length: 3000 }, () => unit),
          "en",
          false,
          segmenter,
        ).last(9000, "sentence"),
      );
  });

  it("asks the segmenter once about ends that all look the same", () => {
    for (const unit of ["? ", "(? ", "Dr. ", "a. "]) {
      const counting = countingSegmenter();
      feed([unit.repeat(5000)], "en", false, counting);
      expect(counting.callCount()).toBeLessThan(50);
    }
  });
});
