import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createSegmenter,
  loadIntlSplitter,
  loadNativeSplitter,
  loadWasmSplitter,
  type SentenceSplitter,
} from "../../../src/daemon/platform/segmenter.js";

const broken = (): SentenceSplitter => {
  throw new Error("no binary for this platform");
};
const kinds = [
  ["the platform's own", createSegmenter()],
  ["WebAssembly", createSegmenter([broken, loadWasmSplitter])],
  ["Intl", createSegmenter([broken, broken])],
] as const;

describe.each(kinds)("segmenter: %s", (_name, segmenter) => {
  const piecesOf = (text: string, language: string): readonly string[] => {
    const ends = segmenter.sentenceEnds(text, language);
    return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  };

  it("gives ends that ascend to the text's length, whatever white space and planes are in it", () => {
    const fragment = fc.constantFrom(
      "Hi.",
      " ",
      "\r\n",
      "\n\n",
      "\n",
      "\r",
      "😀",
      "You!",
      "\t",
      "。",
      "日本",
      "\ud83d",
      "\u0085",
      '"',
      "\ufeff",
    );
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 30 }), (fragments) => {
        const text = fragments.join("");
        for (const ends of [
          segmenter.sentenceEnds(text, "en"),
          segmenter.wordEnds(text, "en"),
          segmenter.clusterEnds(text),
        ]) {
          expect(ends.at(-1)).toBe(text.length);
          expect([...ends].sort((one, other) => one - other)).toEqual([...new Set(ends)]);
        }
      }),
    );
  });

  it("R10: counts UTF-16 units behind astral characters and CR LF, and leaves white space with the sentence before", () => {
    expect(piecesOf("Hi 😀 there. So 👩‍👩‍👧 what?\r\n\r\n  Next one.", "en")).toEqual([
      "Hi 😀 there. ",
      "So 👩‍👩‍👧 what?\r\n\r\n  ",
      "Next one.",
    ]);
  });

  it("takes any language tag", () => {
    for (const tag of ["en-US", "zh-Hant-TW", "DE", "x-private", "", "not a tag"]) {
      expect(segmenter.sentenceEnds("One here. Two here.", tag)).toEqual([10, 19]);
      expect(segmenter.wordEnds("One here", tag)).toEqual([3, 4, 8]);
    }
  });

  it("answers an empty text with no end", () => {
    expect(segmenter.sentenceEnds("", "en")).toEqual([]);
    expect(segmenter.wordEnds("", "en")).toEqual([]);
    expect(segmenter.clusterEnds("")).toEqual([]);
  });
});

describe("segmenter", () => {
  it("R10: knows abbreviations, natively and as WebAssembly alike", () => {
    const text = "Dr. Okafor is here, e.g. today. She sings.";
    for (const load of [loadNativeSplitter, loadWasmSplitter]) {
      expect(createSegmenter([load]).sentenceEnds(text, "en")).toEqual([32, 42]);
    }
  });

  it("loads nothing before the first sentence, and the first that works once", () => {
    const loaded: string[] = [];
    const recorded = (name: string, load: () => SentenceSplitter) => (): SentenceSplitter => {
      loaded.push(name);
      return load();
    };
    const segmenter = createSegmenter([
      recorded("broken", broken),
      recorded("intl", loadIntlSplitter),
      recorded("never", broken),
    ]);
    segmenter.wordEnds("a b", "en");
    segmenter.clusterEnds("a");
    expect(loaded).toEqual([]);
    segmenter.sentenceEnds("One. Two.", "en");
    segmenter.sentenceEnds("One. Two.", "en");
    expect(loaded).toEqual(["broken", "intl"]);
  });

  it("words are cut in the language's way, clusters never inside", () => {
    const segmenter = createSegmenter();
    expect(segmenter.wordEnds("学生です", "ja")).toEqual([2, 4]);
    expect(segmenter.clusterEnds("e\u0301👩‍👩‍👧🇫🇷\r\n")).toEqual([2, 10, 14, 16]);
  });
});
