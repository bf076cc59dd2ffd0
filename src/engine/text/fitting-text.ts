// Decides whether a text that grows at its end, and is cut off at its beginning, fits into one event (R10). Running totals measure each character
// once when it arrives and once when it leaves, and not again with every later token.
import { addSize, type TextSize } from "./text-limits.js";

export interface FittingText {
  /**
   * Whether [from, to) has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a JSON string. `from` never decreases, and
   * neither offset is inside a surrogate pair. The result may also be false because a longer text from `from` on was measured before and is too long.
   */
  readonly fits: (from: number, to: number, maxCodePoints: number, maxBytes: number) => boolean;
}

/** Most bytes of one UTF-16 unit in a JSON string. */
const MOST_BYTES_PER_UNIT = 6;
const QUOTES_BYTES = 2;

/** Offsets are in UTF-16 units; `slice` reads the text between two of them. */
export function createFittingText(slice: (from: number, to: number) => string): FittingText {
  // The totals are those of [start, end).
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
      // Subtracted now, because the text left out may soon be forgotten.
      if (from !== start) leaveOut(from);
      // A short text is not measured.
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
