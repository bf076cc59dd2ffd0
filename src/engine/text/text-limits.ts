// The part of a text that fits into limits of code points (max_chars, R26) and bytes of its JSON string, and the grapheme clusters at its end.
import type { Segmenter } from "../../contracts/segmenter.js";

/** Most bytes of one UTF-16 unit in a JSON string, so that short texts need not be counted. */
export const MOST_BYTES_PER_UNIT = 6;
/** UTF-8 bytes of the two quotation marks around a JSON string. */
const QUOTES_BYTES = 2;
/** Units of a cluster that is certainly kept whole. A row of flags is counted from its first only as far back. */
const CLUSTER_LOOK_BACK = 512;
/** Units read after an offset to decide whether a cluster ends there. */
export const CLUSTER_LOOK_AHEAD = 64;

/**
 * Decides whether a text that grows at its end, and is cut off at its beginning, fits into one event (R10). Running totals measure each character
 * once when it arrives and once when it leaves, and not again with every later token.
 */
export class FittingText {
  private readonly slice: (from: number, to: number) => string;
  // The totals are those of [start, end).
  private start = 0;
  private end = 0;
  private codePoints = 0;
  /** UTF-8 bytes inside a JSON string. */
  private bytes = 0;

  /** Offsets are in UTF-16 units; `slice` reads the text between two of them. */
  constructor(slice: (from: number, to: number) => string) {
    this.slice = slice;
  }

  /**
   * Whether [from, to) has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a JSON string. `from` never decreases, and
   * neither offset is inside a surrogate pair. The result may also be false because a longer text from `from` on was measured before and is too long.
   */
  fits(from: number, to: number, maxCodePoints: number, maxBytes: number): boolean {
    // Subtracted now, because the text left out may soon be forgotten.
    if (from !== this.start) this.leaveOut(from);
    // A short text is not measured.
    const units = to - from;
    if (units <= maxCodePoints && units * MOST_BYTES_PER_UNIT + QUOTES_BYTES <= maxBytes) return true;
    if (to > this.end) {
      this.add(this.slice(this.end, to), 1);
      this.end = to;
    }
    return this.codePoints <= maxCodePoints && this.bytes + QUOTES_BYTES <= maxBytes;
  }

  private leaveOut(from: number): void {
    if (from >= this.end) {
      this.codePoints = 0;
      this.bytes = 0;
      this.end = from;
    } else if (from > this.start) this.add(this.slice(this.start, from), -1);
    this.start = from;
  }

  /** Adds the size of a well-formed text, or subtracts it (`sign` -1). */
  private add(text: string, sign: 1 | -1): void {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.codePointAt(index) ?? 0;
      this.bytes += sign * jsonBytes(code);
      this.codePoints += sign;
      if (code > 0xffff) index += 1;
    }
  }
}

/** The largest index up to which `text` has at most `maxCodePoints` code points and `maxBytes` UTF-8 bytes as a JSON string. */
export function fittingLength(text: string, maxCodePoints: number, maxBytes: number): number {
  let bytes = QUOTES_BYTES;
  let codePoints = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.codePointAt(index) ?? 0;
    bytes += jsonBytes(code);
    codePoints += 1;
    if (bytes > maxBytes || codePoints > maxCodePoints) return index;
    index += code > 0xffff ? 2 : 1;
  }
  return index;
}

function jsonBytes(code: number): number {
  if (code < 0x80) {
    if (code === 0x22 || code === 0x5c) return 2;
    if (code >= 0x20) return 1;
    return code === 0x08 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d ? 2 : 6;
  }
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  // Half a surrogate pair is escaped.
  return code >= 0xd800 && code <= 0xdfff ? 6 : 3;
}

/** The last end of a grapheme cluster in `text` that is at most `index`; 0 if the first cluster is longer than that. */
export function clusterEndBefore(segmenter: Segmenter, text: string, index: number): number {
  if (index >= text.length || isPlainBreak(text, index)) return index;
  // Clusters are counted from a place that is certainly between two of them.
  let start = Math.max(0, index - 1);
  const oldest = Math.max(0, index - CLUSTER_LOOK_BACK);
  while (start > oldest && !isPlainBreak(text, start)) start -= 1;
  if (start === oldest && start > 0 && (text.charCodeAt(start) & 0xfc00) === 0xdc00) start -= 1;
  let last = start;
  for (const end of segmenter.clusterEnds(text.slice(start, index + CLUSTER_LOOK_AHEAD))) {
    if (start + end > index) break;
    last = start + end;
  }
  return last;
}

/** Whether `index` is between two ASCII characters, or beside the end of a line, which is always a cluster's end, except inside CR LF. */
function isPlainBreak(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  if (before === 0x0d && after === 0x0a) return false;
  return (before < 0x80 && after < 0x80) || isLineEnd(before) || isLineEnd(after);
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x20_28 || code === 0x20_29;
}
