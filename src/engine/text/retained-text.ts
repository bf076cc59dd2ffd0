// The text of one output, from the first place that a view still needs. It is stored in the pieces in which it arrived, and a slice joins only the
// pieces that it needs. Neither a token nor a sentence therefore costs more while a slow subscription holds a long text.
import { createOffsetList } from "./offset-list.js";

export interface RetainedText {
  readonly length: () => number;
  /** The first offset that is not forgotten. */
  readonly start: () => number;
  readonly append: (chunk: string) => void;
  readonly slice: (from: number, to: number) => string;
  readonly codePointsAt: (offset: number) => number;
  readonly forget: (offset: number) => void;
}

export function createRetainedText(): RetainedText {
  let pieces: string[] = [];
  /** Offset of each piece. */
  let starts: number[] = [];
  let length = 0;
  let start = 0;
  // Offsets after each character outside the Basic Multilingual Plane. Each of them reduces the count of code points by one.
  const astralEnds = createOffsetList();

  const pieceAt = (offset: number): number => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };

  return {
    length: () => length,
    start: () => start,
    append: (chunk) => {
      if (chunk === "") return;
      for (let index = 1; index < chunk.length; index += 1) {
        const isLow = (chunk.charCodeAt(index) & 0xfc00) === 0xdc00;
        if (isLow && (chunk.charCodeAt(index - 1) & 0xfc00) === 0xd800) astralEnds.push(length + index + 1);
      }
      pieces.push(chunk);
      starts.push(length);
      length += chunk.length;
    },
    slice: (from, to) => {
      const first = Math.max(from, start);
      if (to <= first) return "";
      let index = pieceAt(first);
      let joined = (pieces[index] ?? "").slice(first - (starts[index] ?? 0), to - (starts[index] ?? 0));
      for (index += 1; index < pieces.length; index += 1) {
        const begin = starts[index] ?? 0;
        if (begin >= to) break;
        const piece = pieces[index] ?? "";
        joined += begin + piece.length <= to ? piece : piece.slice(0, to - begin);
      }
      return joined;
    },
    codePointsAt: (offset) => offset - astralEnds.countUpTo(offset),
    forget: (offset) => {
      start = Math.max(start, Math.min(offset, length));
      astralEnds.forget(start);
      const count = pieceAt(start);
      // Done rarely, so that a token costs nothing.
      if (count < 32) return;
      pieces = pieces.slice(count);
      starts = starts.slice(count);
    },
  };
}
