/** Whether the text up to there ends in the first half of a surrogate pair. */
export function endsInHalf(text: string, length: number): boolean {
  const lastUnit = text.charCodeAt(length - 1);
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff;
}

/** The end of at most `length` units of the text that leaves no surrogate pair in halves. */
export function wholeEnd(text: string, length: number): number {
  return length > 1 && length < text.length && endsInHalf(text, length) ? length - 1 : length;
}
