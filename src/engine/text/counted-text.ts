// Offsets of code points, in which positions are counted, and counts of words, from which the length of speech is computed (R15).

/** The UTF-16 offset of a code-point offset. */
export function offsetOfCodePoint(text: string, codePoints: number): number {
  let offset = 0;
  for (let left = codePoints; left > 0 && offset < text.length; left -= 1) {
    const unit = text.charCodeAt(offset);
    offset += unit >= 0xd800 && unit <= 0xdbff ? 2 : 1;
  }
  return offset;
}

/** Number of words as a listener counts them. In scripts without spaces, two characters count as a word. */
export function wordCount(text: string): number {
  let words = 0;
  let inWord = false;
  let dense = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const space = unit <= 0x20 || unit === 0xa0 || unit === 0x3000;
    if (!space && unit >= 0x2e80 && unit < 0xd7b0) dense += 1;
    else if (!space && !inWord) words += 1;
    inWord = !space;
  }
  return words + Math.ceil(dense / 2);
}
