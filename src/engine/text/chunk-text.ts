// The published text of one output: its three lengths (R13) and the half character at its end (R25). Pure functions over a small record. Other rooms
// decide who may publish, and when.

/** The published length of an output, in each of the units in which agents count. */
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

/** Whether `position` is the length so far, in any of the three units. A half character that is held back may be counted or not. */
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
  /** The first half of a surrogate pair, held back for the next chunk; "" if there is none. */
  readonly carry: string;
}

/** Puts the held-back half character before `chunk`, and holds back a half at its end, unless the output ends with this chunk (R25). */
export function joinChunk(carry: string, chunk: string, isLast: boolean): JoinedChunk {
  const joined = carry === "" ? chunk : carry + chunk;
  if (joined.isWellFormed()) return { text: joined, carry: "" };
  if (isLast || !isHighSurrogate(joined.charCodeAt(joined.length - 1)))
    return { text: joined.toWellFormed(), carry: "" };
  return { text: joined.slice(0, -1).toWellFormed(), carry: joined.slice(-1) };
}

/** The text that closes an output that the daemon ends. */
export function remainder(carry: string): string {
  return carry === "" ? "" : REPLACEMENT;
}
