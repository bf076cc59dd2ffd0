// The text of one output as it is published: its three lengths (R13) and the half character it may end in (R25).
// Pure functions over a small record; who may publish what, and when, is not decided here.
import { isWellFormed, toWellFormed } from "./well-formed.js";

/** How much of an output went out, in each of the units in which agents count. */
export interface TextLengths {
  codePoints: number;
  utf16Units: number;
  utf8Bytes: number;
}

const REPLACEMENT = "\ufffd";

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Adds well-formed text to the lengths. */
export function addLengths(lengths: TextLengths, text: string): void {
  let codePoints = text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit)) {
      // Two units, four bytes, one code point.
      codePoints -= 1;
      bytes += 2;
      index += 1;
    } else bytes += 2;
  }
  lengths.codePoints += codePoints;
  lengths.utf16Units += text.length;
  lengths.utf8Bytes += bytes;
}

/** Whether `position` is the length of what was sent, in any of the three units; a half character held back may be counted or not. */
export function fitsPosition(position: unknown, lengths: TextLengths, carry: string): boolean {
  if (position === lengths.codePoints || position === lengths.utf16Units || position === lengths.utf8Bytes) return true;
  if (carry === "") return false;
  // Encoders write a lone surrogate as one code point of three bytes.
  return (
    position === lengths.codePoints + 1 || position === lengths.utf16Units + 1 || position === lengths.utf8Bytes + 3
  );
}

export interface JoinedChunk {
  /** Well-formed text to send now. */
  readonly text: string;
  /** The first half of a character, held back for the next chunk; "" where there is none. */
  readonly carry: string;
}

/** Puts the half character held back before `chunk`, and holds back the one it ends in unless the output ends with it (R25). */
export function joinChunk(carry: string, chunk: string, isLast: boolean): JoinedChunk {
  const joined = carry === "" ? chunk : carry + chunk;
  if (isWellFormed(joined)) return { text: joined, carry: "" };
  if (isLast || !isHighSurrogate(joined.charCodeAt(joined.length - 1)))
    return { text: toWellFormed(joined), carry: "" };
  return { text: toWellFormed(joined.slice(0, -1)), carry: joined.slice(-1) };
}

/** What an output must still say when it is ended from outside. */
export function remainder(carry: string): string {
  return carry === "" ? "" : REPLACEMENT;
}
