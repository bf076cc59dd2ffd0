// R31: numbers, shares and lengths of time in the words of a language.
import { expect, it } from "vitest";
import { createWording } from "../../../src/engine/messages/catalogues/wording.js";

it.each([
  ["en", 0, "0%"],
  ["en", 42, "42%"],
  ["en", 100, "100%"],
  ["en", 99.4, "99%"],
  ["de", 42, "42\u00a0%"],
  ["ar", 42, "42\u200e%\u200e"],
])("%s: %d percent is %s", (language, percent, text) => {
  expect(createWording(language).percent(percent)).toBe(text);
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
  expect(createWording("en").duration(seconds)).toBe(text);
});

it("a count chooses the form, and stands in it", () => {
  const forms = { one: "# event", other: "# events" };
  expect([0, 1, 2, 1234].map((count) => createWording("en").plural(count, forms))).toEqual([
    "0 events",
    "1 event",
    "2 events",
    "1,234 events",
  ]);
});
