// Sequences that steer a terminal: colours, links, titles.
import ansiRegex from "ansi-regex";

/** A longer one, or one over several lines, is text: it may be an escape character that nothing closes. */
const LONGEST_SEQUENCE = 201;

/** A sequence whose end is not there yet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
export const BEGUN_SEQUENCE = /[\u001b\u009b\u009d][^\n\u0007\u001b\u009b\u009d]{0,200}$/;

/** The sequences of a text, in its order. */
export function* sequencesIn(text: string): Iterable<RegExpExecArray> {
  for (const found of text.matchAll(ansiRegex()))
    if (found[0].length <= LONGEST_SEQUENCE && !found[0].includes("\n")) yield found;
}
