import { expect, test, vi } from "vitest";
import { canonicalTag, distinctTags, matchLanguage, textDirection } from "../../../src/engine/terms/language.js";

test.each([
  ["exact", ["en-US"], ["de", "en", "en-US"], "en-US"],
  ["exact, whatever the case", ["EN-us"], ["en", "en-US"], "en-US"],
  ["the region of the wanted one dropped", ["en-US"], ["de", "en-GB", "en"], "en"],
  ["the region of the offered one dropped", ["en"], ["de", "en-US"], "en-US"],
  ["both regions dropped", ["en-US"], ["de", "en-GB"], "en-GB"],
  ["the script dropped", ["sr-Latn"], ["de", "sr"], "sr"],
  ["the script dropped, the other way round", ["zh"], ["de", "zh-Hant-TW"], "zh-Hant-TW"],
  ["the region before the script", ["zh-Hant-TW"], ["zh", "zh-Hant"], "zh-Hant"],
  ["another script does not serve; the next language does", ["zh-Hant", "en"], ["zh-Hans", "en"], "en"],
  ["a near match of the first language before an exact one of the second", ["es-MX", "en"], ["en", "es"], "es"],
  ["the next language", ["yo", "fr"], ["en", "fr-CA"], "fr-CA"],
  ["digits are a region", ["es"], ["es-419"], "es-419"],
  ["a deprecated tag, offered as it is written", ["he"], ["en", "iw-IL"], "iw-IL"],
  ["a deprecated tag that is wanted", ["in"], ["en", "id"], "id"],
  ["three letters for two, and an old region", ["DEU-dd"], ["de-AT", "de-DE"], "de-DE"],
  ["an extended language, and the macrolanguage's own", ["zh-cmn-Hant"], ["zh-Hans", "cmn-Hant-TW"], "cmn-Hant-TW"],
  ["the script that a deprecated tag stands for", ["sh"], ["sr-Cyrl", "sr-Latn"], "sr-Latn"],
  ["a tag of before the registry", ["i-klingon"], ["en", "tlh"], "tlh"],
  ["a sign language by its region", ["sgn-CH-DE"], ["sgn-US", "sgg"], "sgg"],
  ["Norwegian by Bokmål", ["no"], ["da", "nn", "nb-NO"], "nb-NO"],
  ["Bokmål by Norwegian, unless it is there itself", ["nb"], ["no", "nb"], "nb"],
  ["what is no tag, as it is written", ["e_N"], ["en", "E_n"], "E_n"],
  ["none", ["yo"], ["en", "de"], undefined],
  ["nothing wanted", [], ["en"], undefined],
  ["nothing offered", ["en"], [], undefined],
])("AAEP ch. 11: matching: %s", (_rule, wanted, offered, expected) => {
  expect(matchLanguage(wanted, offered)).toBe(expected);
});

test("AAEP ch. 11: a language's direction is its script's, else its usual one", () => {
  expect(["ar", "he-IL", "fa", "ur", "az-Arab", "AR-eg", "iw", "ji", "heb"].map(textDirection)).toEqual(
    Array(9).fill("rtl"),
  );
  expect(["en", "ja", "ar-Latn", "zh-Hant", "yo-NG"].map(textDirection)).toEqual(Array(5).fill("ltr"));
});

test("R14, RFC 5646 §4.5: the canonical form of a tag, and tags that differ by more than their form", () => {
  const forms = [
    "iw",
    "in",
    "ji",
    "ind",
    "deu",
    "ger",
    "eng-us",
    "zh-yue",
    "ar-arb",
    "tl",
    "mo",
    "hbs-me",
    "prs",
    "ru-SU",
  ];
  const canonical = [
    "he",
    "id",
    "yi",
    "id",
    "de",
    "de",
    "en-us",
    "yue",
    "ar",
    "fil",
    "ro",
    "sr-latn-me",
    "fa-af",
    "ru-ru",
  ];
  const before = ["zh-min-nan", "no-bok", "en-GB-oed", "sgn-BE-FR", "art-lojban", "zh-hakka", "i-default"];
  expect(forms.map(canonicalTag)).toEqual(canonical);
  expect(before.map(canonicalTag)).toEqual(["nan", "nb", "en-gb-oxendict", "sfb", "jbo", "hak", "i-default"]);
  expect(["x-Mine", "EN_us", "", "abcdefghi"].map(canonicalTag)).toEqual(["x-mine", "en_us", "", "abcdefghi"]);
  expect(canonicalTag(`DE-${"x".repeat(100)}`)).toBe(`de-${"x".repeat(100)}`);
  expect(distinctTags(["iw", "en", "HE", "EN-us", "eng"])).toEqual(["iw", "en", "EN-us"]);
});

test("R14: peers choose the tags, and thousands of different ones cost no look-up of Intl and leave the forms of the others right", () => {
  const lookUp = vi.spyOn(Intl, "getCanonicalLocales");
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (const a of letters) for (const b of letters) for (const c of "xyz") canonicalTag(`q${c}-${a}${b}`);
  expect(matchLanguage(["iw"], ["he"])).toBe("he");
  expect(lookUp).not.toHaveBeenCalled();
});
