// R10: properties of characters that decide about cuts.
import { describe, expect, it } from "vitest";
import { emojiLength, extendsCluster, isInk, isSpace, terminatorLength } from "../../../src/engine/text/characters.js";

const ASCII = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join("");
const picked = (takes: (index: number) => boolean): string =>
  Array.from(ASCII)
    .filter((_, index) => takes(index))
    .join("");

describe("characters of ASCII", () => {
  it("letters and digits are ink", () => {
    expect(picked((index) => isInk(ASCII, index))).toBe(
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    );
  });

  it("a sentence ends with three of them, in Greek with the semicolon too", () => {
    expect(picked((index) => terminatorLength(ASCII, index, "en") > 0)).toBe("!.?");
    expect(picked((index) => terminatorLength(ASCII, index, "el-GR") > 0)).toBe("!.;?");
    expect(picked((index) => terminatorLength(ASCII, index, "elx") > 0)).toBe("!.?");
  });

  it("a line breaks at white space", () => {
    expect(picked((index) => isSpace(index))).toBe("\t\n\v\f\r ");
  });
});

describe("characters of other scripts", () => {
  it.each(["é", "Ω", "1", "漢", "한", "α", "٣", "€", "☀", "👍"])("%s is ink", (text) => {
    expect(isInk(text, 0)).toBe(true);
  });

  it.each(["…", "—", "“", "。", "\u00a0", "\u200d"])("%j is none", (text) => {
    expect(isInk(text, 0)).toBe(false);
  });

  it.each([
    ["\u037e", 1],
    ["։", 1],
    ["؟", 1],
    ["।", 1],
    ["።", 1],
    ["။", 1],
    ["。", 1],
    ["꓿", 1],
    ["！", 1],
    ["．", 1],
    ["𑅁", 2],
    ["\u0378", 0],
    ["ͽ", 0],
    ["Ϳ", 0],
    ["և", 0],
    ["、", 0],
    ["〃", 0],
    ["漢", 0],
    ["가", 0],
    ["힣", 0],
    ["👍", 0],
  ])("%s ends a sentence with %i units", (text, length) => {
    expect(terminatorLength(text, 0, "en")).toBe(length);
  });

  it("one line breaks at wide spaces, and never at no-break spaces", () => {
    const spaces = [0x85, 0x1680, 0x2000, 0x2006, 0x2008, 0x200a, 0x2028, 0x2029, 0x205f, 0x3000];
    const others = [0x84, 0x86, 0xa0, 0x167f, 0x1681, 0x1fff, 0x2007, 0x200b, 0x2027, 0x202a, 0x202f, 0x2060, 0x3001];
    expect(spaces.map(isSpace)).toEqual(spaces.map(() => true));
    expect(others.map(isSpace)).toEqual(others.map(() => false));
  });

  it("marks, joiners, modifiers and second halves belong to the character before", () => {
    const extending = ["\u0300", "\u200d", "\u200c", "\ufe0f", "🏽", "\u{e0067}", "ﾞ", "\udc4d"];
    const others = ["a", "é", "\u02ff", "漢", "👍", "", "\ud83d"];
    expect(extending.map((text) => extendsCluster(text, 0))).toEqual(extending.map(() => true));
    expect(others.map((text) => extendsCluster(text, 0))).toEqual(others.map(() => false));
  });

  it("an emoji, a flag's half, a modifier and a joiner follow a sentence directly", () => {
    const lengths = ["👍", "🇳", "🏽", "\u200d", "\ufe0f", "☀", "a", "é", "漢", ""].map((text) => emojiLength(text, 0));
    expect(lengths).toEqual([2, 2, 2, 1, 1, 1, 0, 0, 0, 0]);
  });
});
