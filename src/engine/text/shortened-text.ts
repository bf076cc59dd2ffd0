import { extendsCluster } from "./characters.js";

const ZERO_WIDTH_JOINER = 0x200d;
/** Least share of the length that stays when the text is cut at the end of a word. */
const WORD_SHARE = 0.8;

/**
 * Shortens an agent's text inside one of the daemon's to at most `longest` UTF-16 units, with its ellipsis. Cuts between words if a word ends near
 * the limit, and never inside a character with its marks. Returns a text that fits unchanged.
 */
export function shortenedText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let end = longest - 1;
  const space = text.lastIndexOf(" ", end);
  if (space >= end * WORD_SHARE) end = space;
  while (end > 0 && (extendsCluster(text, end) || text.charCodeAt(end - 1) === ZERO_WIDTH_JOINER)) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
