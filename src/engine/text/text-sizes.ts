// The sizes of the parts of one output's text, in code points and in bytes as JSON. Each character is measured once for all views, and sums are kept
// at marks, so that measuring a long part reads a few characters at each of its ends (R34).
import type { RetainedText } from "./retained-text.js";

/** UTF-16 units from one mark to the next. */
const MARK_UNITS = 64;
/** Most bytes of one UTF-16 unit in a JSON string, so that short texts need not be measured. */
export const MOST_BYTES_PER_UNIT = 6;
/** UTF-8 bytes of the two quotation marks around a JSON string. */
const QUOTES_BYTES = 2;

interface Size {
  readonly codePoints: number;
  /** UTF-8 bytes inside a JSON string. */
  readonly bytes: number;
}

/** The size of the text from the first mark to an offset. */
interface Mark extends Size {
  readonly offset: number;
}

const ANY_SIZE: Size = { codePoints: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** No offset that is passed in is inside a surrogate pair, or in forgotten text. */
export class TextSizes {
  private readonly text: RetainedText;
  private first: Mark = { offset: 0, codePoints: 0, bytes: 0 };
  /** The marks after the first, as far as the text is measured. */
  private marks: Mark[] = [];

  constructor(text: RetainedText) {
    this.text = text;
  }

  /** The same sizes, for a copy of the text. */
  copy(text: RetainedText): TextSizes {
    return Object.assign(new TextSizes(text), { first: this.first, marks: [...this.marks] });
  }

  /**
   * The last offset in [from, to] up to which the text after `from` has at most `maxCodePoints` code points and at most `maxBytes` UTF-8 bytes as a
   * JSON string.
   */
  fittingEnd(from: number, to: number, maxCodePoints: number, maxBytes: number): number {
    const units = to - from;
    // A short text fits for certain, and is not measured.
    if (units <= maxCodePoints && units * MOST_BYTES_PER_UNIT + QUOTES_BYTES <= maxBytes) return to;
    this.measure();
    const begin = this.walk(this.mark(this.indexBefore(from)), from, ANY_SIZE);
    const most = { codePoints: begin.codePoints + maxCodePoints, bytes: begin.bytes + maxBytes - QUOTES_BYTES };
    let low = this.indexBefore(from);
    let high = this.indexBefore(to);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isAtMost(this.mark(middle), most)) low = middle;
      else high = middle - 1;
    }
    const last = this.mark(low);
    return this.walk(last.offset > from ? last : begin, to, most).offset;
  }

  /** Forgets the text before the last mark up to `offset`. Returns that mark's offset, from which the text is still read. */
  forget(offset: number): number {
    const count = this.indexBefore(offset);
    const last = this.mark(count);
    // Text that nobody measured so far is measured from here on.
    this.first = offset - last.offset < MARK_UNITS ? last : { offset, codePoints: 0, bytes: 0 };
    this.marks = this.marks.slice(count);
    return this.first.offset;
  }

  /** Measures the text that was appended. */
  private measure(): void {
    for (let last = this.mark(this.marks.length); this.text.length - last.offset >= MARK_UNITS; ) {
      last = this.walk(last, last.offset + MARK_UNITS, ANY_SIZE);
      this.marks.push(last);
    }
  }

  private mark(index: number): Mark {
    return this.marks[index - 1] ?? this.first;
  }

  private indexBefore(offset: number): number {
    return Math.min(this.marks.length, Math.floor((offset - this.first.offset) / MARK_UNITS));
  }

  /** The size up to `to`, or up to the last offset before at which it is at most `most`. */
  private walk(from: Mark, to: number, most: Size): Mark {
    const text = this.text.slice(from.offset, Math.min(to, from.offset + MARK_UNITS));
    let { offset, codePoints, bytes } = from;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      // The second half of a surrogate pair is counted with the first.
      const isSecondHalf = (unit & 0xfc00) === 0xdc00;
      if (!isSecondHalf) {
        codePoints += 1;
        bytes += jsonBytes(unit);
        if (codePoints > most.codePoints || bytes > most.bytes) break;
      }
      offset += 1;
    }
    return { offset, codePoints, bytes };
  }
}

function isAtMost(size: Size, most: Size): boolean {
  return size.codePoints <= most.codePoints && size.bytes <= most.bytes;
}

/** Bytes in a JSON string of the character that begins with this UTF-16 unit. */
function jsonBytes(unit: number): number {
  if (unit < 0x80) {
    if (unit === 0x22 || unit === 0x5c) return 2;
    if (unit >= 0x20) return 1;
    return unit === 0x08 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d ? 2 : 6;
  }
  if (unit < 0x800) return 2;
  return (unit & 0xfc00) === 0xd800 ? 4 : 3;
}
