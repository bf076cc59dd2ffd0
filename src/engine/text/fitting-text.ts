// Whether a text that grows at its end and is cut off at its beginning still fits into one event (R10). Keeps running sums, so that a character
// is measured once when it comes and once when it goes, and not with every token that comes after it.
import { addSize, type TextSize } from "./text-limits.js";

export interface FittingText {
  /**
   * Whether [from, to) has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a JSON string. `from` never goes back, and
   * neither offset is inside a surrogate pair. False may also mean that only a longer text from `from` on has been measured, and is too long.
   */
  readonly fits: (from: number, to: number, maxCodePoints: number, maxBytes: number) => boolean;
}

/** No character takes more bytes in a JSON string than this. */
const MOST_BYTES_PER_UNIT = 6;
const QUOTES_BYTES = 2;

/** Offsets are UTF-16 units; `slice` reads the text between two of them. */
export function createFittingText(slice: (from: number, to: number) => string): FittingText {
  // The sums are those of [start, end).
  let start = 0;
  let end = 0;
  let size: TextSize = { codePoints: 0, bytes: 0 };

  const leaveOut = (from: number): void => {
    if (from >= end) {
      size = { codePoints: 0, bytes: 0 };
      end = from;
    } else if (from > start) size = addSize(size, slice(start, from), -1);
    start = from;
  };

  return {
    fits: (from, to, maxCodePoints, maxBytes) => {
      // At once: what is left out may soon be forgotten, and cannot be read then.
      if (from !== start) leaveOut(from);
      // What is short is not measured before it has grown.
      const units = to - from;
      if (units <= maxCodePoints && units * MOST_BYTES_PER_UNIT + QUOTES_BYTES <= maxBytes) return true;
      if (to > end) {
        size = addSize(size, slice(end, to), 1);
        end = to;
      }
      return size.codePoints <= maxCodePoints && size.bytes + QUOTES_BYTES <= maxBytes;
    },
  };
}
