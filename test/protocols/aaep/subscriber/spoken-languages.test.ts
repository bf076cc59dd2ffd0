// Which languages somebody here speaks (AAEP §11.1.3, §11.2, R14).
import { describe, expect, test } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../../src/engine/terms/language.js";
import { createSpokenLanguages, ownLanguages } from "../../../../src/protocols/aaep/subscriber/spoken-languages.js";

describe("R14: a language is spoken", () => {
  test("R31: where the daemon has texts in it, or texts that say none are in it", () => {
    const { isSpoken } = createSpokenLanguages("yo-NG");
    for (const language of [...CATALOGUE_LANGUAGES, "yo-NG"]) expect(isSpoken(language), language).toBe(true);
    expect(isSpoken("ha")).toBe(false);
    expect(ownLanguages("yo-NG")).toEqual(["yo-NG", ...CATALOGUE_LANGUAGES]);
    expect(ownLanguages("en")).toEqual(CATALOGUE_LANGUAGES);
    expect(ownLanguages("deu")).toEqual(["deu", "en", "es", "fr", "ja", "ar"]);
  });

  test.each<[string, string, boolean]>([
    ["en-US", "en-US", true],
    ["HA-ng", "ha-NG", true],
    ["ha", "ha-NG", true],
    ["ha-NG", "ha", true],
    ["ha-GH", "ha-NG", true],
    ["zh-Hant", "zh", true],
    ["zh", "zh-Hant", true],
    ["zh-Hant-HK", "zh-Hant-TW", true],
    ["zh-Hant", "zh-Hans", false],
    ["zh-Hans-CN", "zh-Hant-TW", false],
    ["haw", "ha", false],
    ["iw", "he-IL", true],
    ["hau", "ha", true],
    ["zh-yue", "yue", true],
  ])("AAEP §11.1.3: %s where an agent speaks %s: %s", (wanted, spoken, isServed) => {
    const languages = createSpokenLanguages("en");
    languages.changed([], [spoken]);
    expect(languages.isSpoken(wanted)).toBe(isServed);
  });

  test("as long as one agent that speaks it is there", () => {
    const { changed, isSpoken } = createSpokenLanguages("en");
    changed([], ["ha", "yo"]);
    changed([], ["ha-NG"]);
    changed(["ha", "yo"], ["yo-NG"]);
    expect([isSpoken("ha"), isSpoken("yo")]).toEqual([true, true]);
    changed(["ha-NG"], []);
    expect([isSpoken("ha"), isSpoken("yo")]).toEqual([false, true]);
    changed(["yo-NG"], []);
    expect([isSpoken("yo"), isSpoken("en")]).toEqual([false, true]);
  });
});
