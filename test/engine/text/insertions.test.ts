// R10: an insertion in brackets within a sentence ends no sentence, whatever ends within the brackets.
import { describe, expect, it } from "vitest";
import { complete, cutsOf, feed, piecesOf } from "./text-boundaries-support.js";

const sentences = (text: string): readonly string[] => {
  const boundaries = feed([text], "en", false);
  complete(boundaries);
  return piecesOf(text, cutsOf(boundaries, "sentence"));
};

describe.each(["()", "[]", "{}", "（）", "［］", "【】"])("in %s", ([open, close]) => {
  it("inside a sentence it is part of that sentence", () => {
    const text = `The film ${open}what a mess!${close} Tom liked. Anna did not.`;
    expect(sentences(text)).toEqual([text.slice(0, -13), "Anna did not."]);
  });

  it("at the beginning of a sentence it is a sentence of its own", () => {
    const inserted = `${open}What a mess!${close} `;
    expect(sentences(`Tom liked it. ${inserted}Anna did not.`)).toEqual(["Tom liked it. ", inserted, "Anna did not."]);
  });
});
