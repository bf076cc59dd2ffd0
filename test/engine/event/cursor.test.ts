// R17: the text of a cursor.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CursorPlace, cursorText, MOST_CURSOR_LENGTH, readCursor } from "../../../src/engine/event/cursor.js";
import { casesOf } from "../../support/extent.js";

const hex = (digits: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`, "u")).filter(({ length }) => length === digits);

const place: fc.Arbitrary<CursorPlace> = fc.record({ journalId: hex(32), after: fc.maxSafeNat() });

describe("a cursor", () => {
  it("says what it was made of, in characters that need no escaping", () => {
    fc.assert(
      fc.property(place, (one) => {
        const text = cursorText(one);
        expect(text).toMatch(/^c1\.[0-9a-f]{32}\.\d+$/);
        expect(readCursor(text)).toEqual(one);
      }),
      { numRuns: casesOf(1000) },
    );
  });

  it.each([
    "",
    "c1",
    "evt_8a3f5b22c91e4d7a",
    `c2.${"a".repeat(32)}.5`,
    `c1.${"A".repeat(32)}.5`,
    `c1.${"a".repeat(31)}.5`,
    `c1.${"a".repeat(32)}.`,
    `c1.${"a".repeat(32)}.-5`,
    `c1.${"a".repeat(32)}.5 `,
    `c1.${"a".repeat(32)}.9999999999999999`,
    `c1.${"a".repeat(32)}.5.${"b".repeat(MOST_CURSOR_LENGTH)}`,
  ])("is not %j", (text) => {
    expect(readCursor(text)).toBeUndefined();
  });
});
