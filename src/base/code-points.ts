/** Number of Unicode code points; a lone surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  }
  return count;
}

/** UTF-8 bytes of a text as a JSON string, approximately: most control characters count as six. Without `escapes`, of the text itself. */
export function encodedBytes(text: string, escapes = true): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20) bytes += !escapes ? 1 : unit === 0x0a || unit === 0x0d || unit === 0x09 ? 2 : 6;
    else if (unit === 0x22 || unit === 0x5c) bytes += escapes ? 2 : 1;
    else if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // A surrogate pair has four bytes, two for each half.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
  }
  return bytes;
}
