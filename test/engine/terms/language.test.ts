import { expect, test } from "vitest";
import { matchLanguage, textDirection } from "../../../src/engine/terms/language.js";

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
  ["none", ["yo"], ["en", "de"], undefined],
  ["nothing wanted", [], ["en"], undefined],
  ["nothing offered", ["en"], [], undefined],
])("AAEP ch. 11: matching: %s", (_rule, wanted, offered, expected) => {
  expect(matchLanguage(wanted, offered)).toBe(expected);
});

test("AAEP ch. 11: a language's direction is its script's, else its usual one", () => {
  expect(["ar", "he-IL", "fa", "ur", "az-Arab", "AR-eg"].map(textDirection)).toEqual(Array(6).fill("rtl"));
  expect(["en", "ja", "ar-Latn", "zh-Hant", "yo-NG"].map(textDirection)).toEqual(Array(5).fill("ltr"));
});
