import { expect, it } from "vitest";
import { formatTimestamp, parseTimestamp } from "../../../src/engine/event/timestamps.js";

// The last day of four hundred years comes once: years are counted from March.
it.each([
  "1600-02-29T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
  "1970-01-01T00:00:00.000Z",
  "2000-02-29T23:59:59.999Z",
  "2000-03-01T00:00:00.000Z",
  "2024-02-29T12:34:56.789Z",
  "2026-02-28T23:59:59.999Z",
  "2026-12-31T23:59:59.999Z",
  "2100-02-28T00:00:00.000Z",
  "2100-03-01T00:00:00.000Z",
  "2104-02-29T01:02:03.004Z",
  "2400-02-29T00:00:00.000Z",
])("%s is written as it was read", (text) => {
  expect(formatTimestamp(Date.parse(text))).toBe(text);
});

it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "month %i has its last day, and none behind it",
  (month) => {
    for (const year of [2024, 2026, 2100, 2400]) {
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
      const textOf = (day: number) => `${year}-${String(month).padStart(2, "0")}-${day}T00:00:00Z`;
      expect(parseTimestamp(textOf(last)), textOf(last)).toBeDefined();
      expect(parseTimestamp(textOf(last + 1)), textOf(last + 1)).toBeUndefined();
    }
  },
);

it.each([4, 7, 10, 13, 16, 19])("a text with another character at %i is none", (at) => {
  const text = "2026-02-28T23:59:59.999Z";
  expect(parseTimestamp(text)).toBeDefined();
  expect(parseTimestamp(`${text.slice(0, at)}/${text.slice(at + 1)}`)).toBeUndefined();
});

it.each(["Z", "+09:59", "-19:09", "+23:00"])("an offset of %s counts", (offset) => {
  const text = `2026-02-28T12:00:00.000${offset}`;
  expect(parseTimestamp(text)?.micros).toBe(1000 * Date.parse(text));
});

it.each(["", "Z0", "+24:00", "+00:60", "+0900", "+0/:00", "+0::00", "+00:00:00"])(
  "an offset of %j is none",
  (offset) => {
    expect(parseTimestamp(`2026-02-28T12:00:00.000${offset}`)).toBeUndefined();
  },
);
