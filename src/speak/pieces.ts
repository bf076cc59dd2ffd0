// Cuts a text into utterances: one for each sentence, and no longer than a listener should wait when another program wants to speak.
import { wholeEnd } from "../base/whole-end.js";

/** The longest utterance, UTF-16 units. */
export const LONGEST_UTTERANCE = 500;

/** The end of a sentence or of a line, with what belongs to it. A small letter or a digit goes on behind an abbreviation. */
const SENTENCE_END = /[.!?…؟۔।]["'”’»)\]]{0,3}\s(?![\p{Ll}\d])|[。！？]["'”’»」』）]{0,3}|\n/gu;
/** A short word with a capital before a full stop, as in "Dr." or "U.S.": perhaps no end. */
const SHORT_WORD = /(?:^|[\s.(])\p{Lu}\p{L}{0,2}\.$/u;
/** Sentences that are this short together are one utterance, as in "Yes. No." */
const SHORT = 24;

/** The utterances of a text in its order, without white space around them. Nothing else is left out. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  const add = (to: number): void => {
    const sentence = text.slice(from, to).trim();
    for (let at = 0; at < sentence.length; ) {
      const rest = sentence.slice(at, at + LONGEST_UTTERANCE + 1);
      const end = rest.length <= LONGEST_UTTERANCE ? rest.length : wordEnd(rest);
      const piece = rest.slice(0, end).trim();
      if (piece !== "") pieces.push(piece);
      at += end;
    }
    from = to;
  };
  for (const { 0: end, index } of text.matchAll(SENTENCE_END)) {
    const to = index + end.length;
    const isLine = end.endsWith("\n");
    if (isLine || (to - from > SHORT && !SHORT_WORD.test(text.slice(Math.max(from, to - 8), to).trimEnd()))) add(to);
  }
  add(text.length);
  return pieces;
}

/** Where a sentence is cut that is too long for one utterance: behind a comma, else at a space, else between two characters. */
function wordEnd(text: string): number {
  const first = text.slice(0, LONGEST_UTTERANCE);
  for (const mark of [", ", "，", "、", " "]) {
    const at = first.lastIndexOf(mark);
    if (at > LONGEST_UTTERANCE / 2) return at + mark.length;
  }
  return wholeEnd(text, LONGEST_UTTERANCE);
}
