// R10: where a text that is too long may be cut: never inside what is read as one character.
import { describe, expect, it } from "vitest";
import { clusterEndBefore } from "../../../src/engine/text/cluster-ends.js";
import { segmenter } from "./text-boundaries-support.js";

/** Where each place of the text is moved back to. */
const ends = (text: string): readonly number[] =>
  Array.from({ length: text.length + 1 }, (_, index) => clusterEndBefore(segmenter, text, index));

describe("the last end of a cluster before a place", () => {
  it.each([
    ["plain text is cut anywhere", "abc", [0, 1, 2, 3]],
    ["CR LF is one", "a\r\nb", [0, 1, 1, 3, 4]],
    ["lines end wherever they stand", "\n\né\u2028\u0301\r", [0, 1, 2, 3, 4, 5, 6]],
    ["a letter with a mark of its own", "ae\u0301b", [0, 1, 1, 3, 4]],
    ["letters of one code point", "né!", [0, 1, 2, 3]],
    ["an emoji of two halves", "a👍b", [0, 1, 1, 3, 4]],
    ["several emoji joined", "👩‍👧b", [0, 0, 0, 0, 0, 5, 6]],
    ["flags, in pairs from the first", "🇳🇬🇯🇵", [0, 0, 0, 0, 4, 4, 4, 4, 8]],
    ["a sign that belongs to the figure after it", "a\u06001b", [0, 1, 1, 3, 4]],
  ])("%s", (_, text, expected) => {
    expect(ends(text)).toEqual(expected);
  });

  it("is found in plain text without the segmenter", () => {
    let asked = 0;
    const counting = {
      ...segmenter,
      clusterEnds: (text: string) => {
        asked += 1;
        return segmenter.clusterEnds(text);
      },
    };
    expect(clusterEndBefore(counting, "plain text", 3)).toBe(3);
    expect(asked).toBe(0);
    expect(clusterEndBefore(counting, "naïve text", 3)).toBe(3);
    expect(asked).toBe(1);
    expect(clusterEndBefore(counting, "\n".repeat(10_000), 9000)).toBe(9000);
    expect(asked).toBe(1);
  });
});
