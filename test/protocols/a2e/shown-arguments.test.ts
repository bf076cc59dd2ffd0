import { expect, test } from "vitest";
import { detailsOf } from "../../../src/protocols/a2e/mirror/mirror.js";

const given = { city: "Lagos", days: 3, isWarm: true, list: [1], object: {}, none: null };

test("shown arguments stand in the order of the configuration; lists, objects and absent ones are passed over", () => {
  expect(detailsOf(given, new Set(["days", "list", "object", "none", "absent", "city", "isWarm"]))).toBe(
    "days: 3, city: Lagos, isWarm: true",
  );
});

test("without a shown argument there is no text", () => {
  expect(detailsOf(given, new Set())).toBeUndefined();
  expect(detailsOf(given, new Set(["list", "absent", "toString"]))).toBeUndefined();
  expect(detailsOf(undefined, new Set(["city"]))).toBeUndefined();
});

test("values of 200 characters and eight arguments are the most", () => {
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, index]));
  expect(detailsOf(many, new Set(Object.keys(many)))?.split(", ")).toHaveLength(8);
  const long = detailsOf({ text: "x".repeat(300) }, new Set(["text"])) ?? "";
  expect(long.length).toBeLessThanOrEqual("text: ".length + 200);
  expect(long).toMatch(/^text: x{190,}/);
});
