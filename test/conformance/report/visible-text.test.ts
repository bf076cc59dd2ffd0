import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentOf, type Markup, markup, ownMarkup } from "../../../src/conformance/report/markup.js";
import { visibleLine, visibleText } from "../../../src/conformance/report/visible-text.js";
import { casesOf } from "../../support/extent.js";
import { hostileText } from "./runs.js";

/** XML 1.0, production 2, without the carriage return, which parsers change. */
function isWritable(code: number): boolean {
  return code === 0x9 || code === 0xa || (code >= 0x20 && code <= 0xfffd && !isSurrogate(code)) || code >= 0x10000;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

describe("text from a target", () => {
  it.each([
    ["a\u0000b", "a⟨U+0000⟩b"],
    ["\u001b[2J", "⟨U+001B⟩[2J"],
    ["one\r\ntwo", "one⟨U+000D⟩\ntwo"],
    ["pay \u202e005$", "pay ⟨U+202E⟩005$"],
    ["half \ud83d pair", "half ⟨U+D83D⟩ pair"],
    ["\ufeff\ufffe\ufdd0", "⟨U+FEFF⟩⟨U+FFFE⟩⟨U+FDD0⟩"],
    ["\u007f\u0085\u2028\u200f\u061c", "⟨U+007F⟩⟨U+0085⟩⟨U+2028⟩⟨U+200F⟩⟨U+061C⟩"],
  ])("%j shows as %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it("ordinary text stays as it is, in every script", () => {
    for (const text of ["Owó rẹ̀ jẹ́ ₦4,500.", "「午後2時」", "👩‍👩‍👧", "می‌خواهم", "a\tb\nc", "𝒳"])
      expect(visibleText(text)).toBe(text);
  });

  it("every character can stand in XML, and a line has no white space but blanks", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const codes = [...visibleText(text)].map((character) => character.codePointAt(0) ?? 0);
        expect(codes.filter((code) => !isWritable(code))).toEqual([]);
        expect(visibleLine(text)).not.toMatch(/[\t\n\r\u2028\u2029]/);
      }),
      { numRuns: casesOf(2000) },
    );
  });
});

describe("a template", () => {
  it("escapes text, and more within an attribute", () => {
    const text = `<a b="c">'&amp;'\t\n`;
    expect(documentOf(markup`<p>${text}</p>`)).toBe("<p>&lt;a b=&quot;c&quot;&gt;&#39;&amp;amp;&#39;\t\n</p>");
    expect(documentOf(markup`<p id="${text}"/>`)).toBe(
      '<p id="&lt;a b=&quot;c&quot;&gt;&#39;&amp;amp;&#39;&#9;&#10;"/>',
    );
  });

  it("takes nothing from a file for markup", () => {
    const made = ownMarkup("<i>");
    expect(documentOf(markup`${made}`)).toBe("<i>");
    const read = JSON.parse(JSON.stringify({ ...made, markup: "<i>", written: "<i>" })) as Markup;
    expect(documentOf(markup`${read}`)).not.toContain("<i>");
  });

  it("takes numbers, pieces, lists of pieces and nothing", () => {
    const piece = markup`<i>${"&"}</i>`;
    expect(documentOf(markup`${1}${piece}${[piece, piece]}${[]}${undefined}.`)).toBe(
      "1<i>&amp;</i><i>&amp;</i><i>&amp;</i>.",
    );
  });
});
