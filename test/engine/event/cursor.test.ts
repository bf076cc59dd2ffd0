// R17: the text of a cursor.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CursorPlace,
  cursorText,
  type DeliveredText,
  deliveredFurther,
  MOST_CURSOR_LENGTH,
  MOST_CURSOR_OUTPUTS,
  readCursor,
} from "../../../src/engine/event/cursor.js";
import { casesOf } from "../../support/extent.js";

const hex = (digits: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`, "u")).filter(({ length }) => length === digits);

const place: fc.Arbitrary<CursorPlace> = fc
  .record({
    journalId: hex(32),
    after: fc.maxSafeNat().map((epoch) => Math.floor(epoch / 2)),
    outputs: fc.uniqueArray(
      fc.tuple(
        hex(16),
        fc.record({ to: fc.oneof(fc.nat(), fc.constant("end" as const)), ahead: fc.oneof(fc.constant(0), fc.nat()) }),
      ),
      { selector: ([digest]) => digest, maxLength: MOST_CURSOR_OUTPUTS },
    ),
  })
  .map(({ journalId, after, outputs }) => ({
    journalId,
    after,
    outputs: new Map(
      outputs.map(([digest, { to, ahead }]) => [
        digest,
        { to, epoch: to === "end" && ahead === 0 ? 0 : after + ahead },
      ]),
    ),
  }));

describe("a cursor", () => {
  it("says what it was made of, in at most 1,024 characters that need no escaping", () => {
    fc.assert(
      fc.property(place, (one) => {
        const text = cursorText(one);
        expect(text).toMatch(/^c1\.[0-9a-z.-]+$/);
        expect(text.length).toBeLessThanOrEqual(MOST_CURSOR_LENGTH);
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
    `c1.${"a".repeat(32)}.5.`,
    `c1.${"a".repeat(32)}.5 `,
    `c1.${"a".repeat(32)}.9999999999999999`,
    `c1.${"a".repeat(32)}.5.${"b".repeat(16)}-9999999999999999-0`,
    `c1.${"a".repeat(32)}.5.${"b".repeat(16)}-1-9007199254740991`,
    `c1.${"a".repeat(32)}.5${`.${"b".repeat(16)}-1-1`.repeat(17)}`,
  ])("is not %j", (text) => {
    expect(readCursor(text)).toBeUndefined();
  });

  it("names sixteen outputs: the newest skipped ones come first, then the ones named before, and none that its epoch covers", () => {
    const owed = Array.from({ length: 40 }, (_, index) => [`o${index}`, { to: index, epoch: 9 }] as const);
    const before = new Map<string, DeliveredText>([
      ["d", { to: 3, epoch: 7 }],
      ["covered", { to: 3, epoch: 5 }],
    ]);
    const further = { owed, skipped: new Set(["s1", "s2"]), before };
    const outputs = deliveredFurther(5, further, (output) => `#${output}`);
    expect([...outputs.keys()].slice(0, 4)).toEqual(["#s1", "#s2", "d", "#o1"]);
    expect(outputs.size).toBe(MOST_CURSOR_OUTPUTS);
    expect(outputs.get("#s1")?.to).toBe("end");
    const manySkipped = Array.from({ length: 40 }, (_, index) => `s${index}`);
    const skips = deliveredFurther(5, { owed, skipped: new Set(manySkipped), before }, (output) => output);
    expect([...skips.keys()]).toEqual(manySkipped.slice(-MOST_CURSOR_OUTPUTS));
  });
});
