// R31: texts, numbers, shares and lengths of time in the words of a language.
import { expect, it } from "vitest";
import type { TextKey } from "../../../src/engine/messages/catalogues/catalogue.js";
import { ENGLISH } from "../../../src/engine/messages/catalogues/en.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";

it.each([
  ["en", 0, "0%"],
  ["en", 42, "42%"],
  ["en", 100, "100%"],
  ["en", 99.4, "99%"],
  ["de", 42, "42\u00a0%"],
  ["ar", 42, "42\u200e%\u200e"],
] as const)("%s: %d percent is %s", (language, percent, text) => {
  expect(WORDINGS[language].percent(percent)).toBe(text);
});

it.each([
  [-5, "0 seconds"],
  [1, "1 second"],
  [119.4, "119 seconds"],
  [119.5, "2 minutes"],
  [120, "2 minutes"],
  [150, "2 minutes, 30 seconds"],
  [3600, "60 minutes"],
])("%d s is %s", (seconds, text) => {
  expect(WORDINGS.en.duration(seconds)).toBe(text);
});

it("a count chooses the form, and stands in it", () => {
  expect([0, 1, 2, 1234].map((count) => WORDINGS.en.say("moreLines", { count }))).toEqual([
    "and 0 more lines",
    "and 1 more line",
    "and 2 more lines",
    "and 1,234 more lines",
  ]);
});

it("what stands in a text is said as it is, braces and all", () => {
  expect(WORDINGS.en.say("subagent", { title: "{words}", words: "$& {title}" })).toBe("Subagent {words}: $& {title}");
});

it.each(CATALOGUE_LANGUAGES)(
  "%s says in each text what the English one says, and nothing else in braces",
  (language) => {
    const { texts } = WORDINGS[language];
    for (const key of Object.keys(ENGLISH) as TextKey[]) {
      const english = ENGLISH[key];
      const known = namesIn(typeof english === "string" ? english : english.other);
      const text = texts[key];
      const forms = typeof text === "string" ? [text] : Object.values(text);
      for (const form of forms) expect(known, key).toEqual(expect.arrayContaining([...namesIn(form)]));
    }
  },
);

function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\{(.*?)\}/g), ([, name = ""]) => name);
}
