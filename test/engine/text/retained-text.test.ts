import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastStartingBy } from "../../../src/engine/text/retained-text.js";

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
