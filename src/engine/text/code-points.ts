// Conversions between UTF-16 units and code points, in which positions are counted.

/** Code points of a well-formed string. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count -= 1;
  }
  return count;
}

/** The UTF-16 offset of a code-point offset. */
export function offsetOfCodePoint(text: string, codePoints: number): number {
  let offset = 0;
  for (let left = codePoints; left > 0 && offset < text.length; left -= 1) {
    const unit = text.charCodeAt(offset);
    offset += unit >= 0xd800 && unit <= 0xdbff ? 2 : 1;
  }
  return offset;
}
