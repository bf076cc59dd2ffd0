import fc from "fast-check";

const HALVES = { first: 0xd800, count: 0x800 };

/**
 * Any character but halves of one, as the unit of `fc.string`. The unit "binary" is the same, and first makes a table of all million of them, which
 * takes each process a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - HALVES.count })
  .map((at) => String.fromCodePoint(at < HALVES.first ? at : at + HALVES.count));
