import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastStartingBy } from "../../../src/engine/text/retained-text.js";
import { FittingText, fittingLength } from "../../../src/engine/text/text-limits.js";

const character = fc.constantFrom("a", " ", "é", "永", "👍", '"', "\\", "\n", "\u0001", "\u007f");
const pieces = fc.array(fc.array(character, { maxLength: 12 }), { minLength: 1, maxLength: 30 });

describe("R10: whether held text fits", () => {
  it("is what measuring it anew says, while it grows and is cut off", () => {
    const limits = fc.record({ codePoints: fc.integer({ min: 1, max: 60 }), bytes: fc.integer({ min: 2, max: 200 }) });
    fc.assert(
      fc.property(
        pieces,
        limits,
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 7 }),
        (added, limit, cuts) => {
          const ends = [0];
          let text = "";
          let from = 0;
          const fitting = new FittingText((start, end) => text.slice(start, end));
          for (const [turn, piece] of added.entries()) {
            for (const one of piece) {
              text += one;
              ends.push(text.length);
            }
            const rest = text.slice(from);
            const isFitting = fittingLength(rest, limit.codePoints, limit.bytes) === rest.length && limit.bytes >= 2;
            expect(fitting.fits(from, text.length, limit.codePoints, limit.bytes)).toBe(isFitting);
            // What is said to fit up to an earlier place does; where it is not said, it is asked elsewhere.
            const middle = ends.find((end) => end >= from + rest.length / 2) ?? text.length;
            if (fitting.fits(from, middle, limit.codePoints, limit.bytes)) {
              const part = text.slice(from, middle);
              expect(fittingLength(part, limit.codePoints, limit.bytes)).toBe(part.length);
            }
            const step = cuts[turn % cuts.length] ?? 0;
            from = ends[Math.min(ends.length - 1, ends.indexOf(from) + step * 3)] ?? from;
          }
        },
      ),
    );
  });

  it("reads each character once when it comes and once when it goes, though it is asked with every one", () => {
    const text = "one more word ".repeat(1000);
    let reads = 0;
    const fitting = new FittingText((start, end) => {
      reads += end - start;
      return text.slice(start, end);
    });
    let from = 0;
    for (let to = 1; to <= text.length; to += 1) if (!fitting.fits(from, to, 1000, 60_000)) from = to - 1;
    expect(from).toBeGreaterThan(12_000);
    expect(reads).toBeLessThanOrEqual(2 * text.length);
  });
});

describe("the piece that holds a place", () => {
  it("is the last one that starts there or before, pieces without text included", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 4 }), { maxLength: 40 }),
        fc.integer({ min: -2, max: 90 }),
        (lengths, offset) => {
          let start = 3;
          const held = lengths.map((length) => {
            const piece = { start };
            start += length;
            return piece;
          });
          expect(lastStartingBy(held, offset)).toBe(held.findLastIndex((piece) => piece.start <= offset));
        },
      ),
    );
  });

  it("is found without looking at all of them", () => {
    let looks = 0;
    const held = Array.from({ length: 10_000 }, (_, index) => ({
      get start() {
        looks += 1;
        return index * 5;
      },
    }));
    expect(lastStartingBy(held, 12_347)).toBe(2469);
    expect(looks).toBeLessThan(20);
  });
});
