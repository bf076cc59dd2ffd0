import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RetainedText } from "../../../src/engine/text/retained-text.js";
import { TextSizes } from "../../../src/engine/text/text-sizes.js";

const character = fc.constantFrom(
  "a",
  " ",
  "é",
  "永",
  "👍",
  '"',
  "\\",
  "\n",
  "\t",
  "\b",
  "\f",
  "\r",
  "\u0001",
  "\u007f",
);
const pieces = fc.array(fc.array(character, { maxLength: 60 }), { minLength: 1, maxLength: 12 });

/** The same by the characters themselves. */
function fittingEnd(text: string, from: number, to: number, maxCodePoints: number, maxBytes: number): number {
  let end = from;
  let count = 0;
  for (const one of text.slice(from, to)) {
    count += 1;
    const json = JSON.stringify(text.slice(from, end + one.length));
    if (count > maxCodePoints || Buffer.byteLength(json) > maxBytes) return end;
    end += one.length;
  }
  return end;
}

describe("R10: how far a text fits", () => {
  it("is what JSON says of each of its parts, while it grows and its beginning is forgotten", () => {
    const limits = fc.record({
      codePoints: fc.integer({ min: 1, max: 300 }),
      bytes: fc.integer({ min: 2, max: 900 }),
    });
    const cuts = fc.array(fc.nat({ max: 80 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(pieces, limits, cuts, (added, { codePoints, bytes }, steps) => {
        const retained = new RetainedText();
        let sizes = new TextSizes(retained);
        const ends = [0];
        let text = "";
        let first = 0;
        for (const [turn, piece] of added.entries()) {
          retained.append(piece.join(""));
          for (const one of piece) {
            text += one;
            ends.push(text.length);
          }
          first = Math.min(ends.length - 1, first + (steps[turn % steps.length] ?? 0));
          const from = ends[first] ?? 0;
          expect(sizes.fittingEnd(from, text.length, codePoints, bytes)).toBe(
            fittingEnd(text, from, text.length, codePoints, bytes),
          );
          const forgotten = sizes.forget(from);
          expect(forgotten).toBeGreaterThan(from - 64);
          expect(forgotten).toBeLessThanOrEqual(from);
          retained.forget(forgotten);
          if (turn % 3 === 0) sizes = sizes.copy(retained);
        }
      }),
    );
  });

  it("is another matter for a copy that goes on otherwise", () => {
    const [first, second] = [new RetainedText(), new RetainedText()];
    first.append("a".repeat(100));
    const sizes = new TextSizes(first);
    expect(sizes.fittingEnd(0, 100, 50, 60_000)).toBe(50);
    second.append("a".repeat(100));
    const copy = sizes.copy(second);
    second.append("é".repeat(200));
    expect(copy.fittingEnd(0, 300, 500, 302)).toBe(200);
    first.append("a".repeat(200));
    expect(sizes.fittingEnd(0, 300, 500, 302)).toBe(300);
    expect(copy.fittingEnd(0, 300, 500, 302)).toBe(200);
  });
});
