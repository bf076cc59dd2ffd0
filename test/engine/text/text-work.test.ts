// How much is read of each kind of text, counted: no clock is needed to see that nothing is worse than linear (R34).
import { describe, expect, it } from "vitest";
import type { Characters } from "../../../src/engine/text/characters.js";
import { candidateAt, createCandidateReading } from "../../../src/engine/text/sentence-candidates.js";
import { type CutLevel, TextBoundaries } from "../../../src/engine/text/text-boundaries.js";
import { append, complete, cutsOf, feed, piecesOf, segmenter } from "./text-boundaries-support.js";
import { KINDS, textOf, tokensOf } from "./text-kinds.mjs";

const LENGTH = 2_048;
/** Characters that the segmenter may be shown for each character of the text. */
const MOST_SHOWN = 10;

/** How many characters the segmenter is shown of a text while it is cut at a level. */
function shownCount(chunks: readonly string[], language: string, level: CutLevel): number {
  let shown = 0;
  const counted =
    <Rest extends readonly unknown[], Result>(method: (text: string, ...rest: Rest) => Result) =>
    (text: string, ...rest: Rest): Result => {
      shown += text.length;
      return method(text, ...rest);
    };
  const boundaries = new TextBoundaries({
    sentenceEnds: counted(segmenter.sentenceEnds),
    wordEnds: counted(segmenter.wordEnds),
    clusterEnds: counted(segmenter.clusterEnds),
  });
  let from = 0;
  const take = (): void => {
    for (let cut = boundaries.next(from, level); cut !== undefined; cut = boundaries.next(from, level)) from = cut;
    boundaries.forget(from);
  };
  for (const chunk of chunks) {
    append(boundaries, chunk, language, { markdown: true });
    take();
  }
  complete(boundaries);
  take();
  return shown;
}

describe("R34: the segmenter is shown a text in proportion to its length, and as much of it however it arrives", () => {
  it.each(KINDS)("%s", (_, language, pattern) => {
    const text = textOf(pattern, LENGTH);
    for (const level of ["word", "sentence"] as const) {
      const atOnce = shownCount([text], language, level);
      expect(atOnce).toBeLessThanOrEqual(MOST_SHOWN * text.length);
      expect(shownCount(tokensOf(text), language, level)).toBe(atOnce);
      expect(shownCount(Array.from(text), language, level)).toBe(atOnce);
    }
  });
});

it("R34: words are looked for in steps, also in a text whose sentences were read before", () => {
  const STEP = 256;
  let shown = 0;
  const wordEnds = (text: string, language: string): readonly number[] => {
    shown += text.length;
    return segmenter.wordEnds(text, language);
  };
  const text = "日本語の文章がここにあります".repeat(100);
  const boundaries = new TextBoundaries({ ...segmenter, wordEnds });
  boundaries.append(text, "ja", { markdown: false });
  boundaries.scanTo(text.length);
  const words: number[] = [];
  for (let to = STEP; to < text.length + STEP; to += STEP) {
    const before = shown;
    boundaries.scanTo(Math.min(to, text.length), "word");
    for (let cut = boundaries.next(words.at(-1) ?? 0, "word"); cut !== undefined; cut = boundaries.next(cut, "word"))
      words.push(cut);
    expect(shown - before).toBeLessThanOrEqual(MOST_SHOWN * STEP);
  }
  const whole = new TextBoundaries(segmenter);
  append(whole, text, "ja", { markdown: false });
  expect(words).toEqual(cutsOf(whole, "word"));
});

describe("R34: marks in one place are read once", () => {
  const reading = (text: string): { readonly characters: Characters; readonly count: () => number } => {
    let count = 0;
    const look = (index: number): number => {
      count += 1;
      return index;
    };
    return {
      count: () => count,
      characters: {
        length: text.length,
        charAt: (index) => text.charAt(look(index)),
        charCodeAt: (index) => text.charCodeAt(look(index)),
        codePointAt: (index) => text.codePointAt(look(index)),
        slice: (from, to) => text.slice(from, to),
      },
    };
  };

  it.each(["...", "。。。", ".)", ".  ", ".👍"])("%j", (marks) => {
    const { characters, count } = reading(marks.repeat(10_000));
    expect(candidateAt(characters, 0, "en", false, createCandidateReading(true)).kind).not.toBe("wait");
    expect(count()).toBeLessThan(2_000);
  });

  it.each([".", "。", ")", "👍"])("and not again with each token: %j", (mark) => {
    const text = `.${mark.repeat(100)}`;
    const progress = createCandidateReading(true);
    let looks = 0;
    for (let end = 1; end <= text.length; end += 1) {
      if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) continue;
      const { characters, count } = reading(text.slice(0, end));
      const soFar = candidateAt(characters, 0, "en", false, progress);
      expect(soFar).toEqual(candidateAt(text.slice(0, end), 0, "en", false, createCandidateReading(true)));
      looks += count();
    }
    expect(looks).toBeLessThan(10 * text.length);
  });
});

describe("R10: what has no letter, digit or symbol in it is nothing to be said alone", () => {
  const piecesAt = (text: string, language: string, level: CutLevel): readonly string[] => {
    const boundaries = feed([text], language, true);
    complete(boundaries);
    return piecesOf(text, cutsOf(boundaries, level));
  };

  it("a sentence begins with the marks before it", () => {
    expect(piecesAt("... Well. Then go.", "en", "sentence")).toEqual(["... Well. ", "Then go."]);
    expect(piecesAt("؟ ؟ ؟ نعم. هذا كل شيء.", "ar", "sentence")).toEqual(["؟ ؟ ؟ نعم. ", "هذا كل شيء."]);
    expect(piecesAt("👍. Good. So it is.", "en", "sentence")).toEqual(["👍. ", "Good. ", "So it is."]);
    expect(piecesAt(". . . . ", "en", "sentence")).toEqual([". . . . "]);
    expect(piecesAt(". . .\n\nNext one.", "en", "sentence")).toEqual([". . .\n\n", "Next one."]);
  });

  it("a word takes the marks before it along", () => {
    expect(piecesAt("- - one & two — 3", "en", "word")).toEqual(["- - one ", "& two ", "— 3"]);
    expect(piecesAt("- - - - ", "en", "word")).toEqual(["- - - - "]);
  });

  it("the segmenter is not asked about marks alone", () => {
    for (const marks of [". ", "?! ", "؟ ", "। ", "。", '.")] '])
      expect(shownCount([marks.repeat(500)], "en", "sentence"), marks).toBe(0);
  });
});
