import { extendsCluster } from "./characters.js";

const ZERO_WIDTH_JOINER = 0x200d;
/** How much of the text may be given up to end on a whole word. */
const WORD_SHARE = 0.8;

/**
 * Somebody else's text inside one of the daemon's, at most `longest` UTF-16 units with its ellipsis. Cut between words where one ends near the limit,
 * and never inside a character with its marks. Text that fits is returned as it is.
 */
export function shortenedText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let end = longest - 1;
  const space = text.lastIndexOf(" ", end);
  if (space >= end * WORD_SHARE) end = space;
  while (end > 0 && (extendsCluster(text, end) || text.charCodeAt(end - 1) === ZERO_WIDTH_JOINER)) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
