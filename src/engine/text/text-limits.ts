// The part of a text that fits into limits of code points (max_chars, R26) and bytes of its JSON string, and the grapheme clusters at its end.
import type { Segmenter } from "../../contracts/segmenter.js";

/** UTF-8 bytes of the two quotation marks around a JSON string. */
const QUOTES_BYTES = 2;
const CLUSTER_LOOK_BACK = 4_096;
/** Units read after an offset to decide whether a cluster ends there. */
export const CLUSTER_LOOK_AHEAD = 64;

/** The size of a text. */
export interface TextSize {
  readonly codePoints: number;
  /** UTF-8 bytes inside a JSON string. */
  readonly bytes: number;
}

/** Adds the size of a well-formed text to `size`, or subtracts it (`sign` -1). Reads the text once. */
export function addSize(size: TextSize, text: string, sign: 1 | -1): TextSize {
  let { codePoints, bytes } = size;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index) ?? 0;
    bytes += sign * jsonBytes(code);
    codePoints += sign;
    if (code > 0xffff) index += 1;
  }
  return { codePoints, bytes };
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

/** Whether `index` is between two ASCII characters, which is always a cluster's end, except inside CR LF. */
function isPlainBreak(text: string, index: number): boolean {
  return text.charCodeAt(index) < 0x80 && text.charCodeAt(index - 1) < 0x80 && text.charCodeAt(index) !== 0x0a;
}
