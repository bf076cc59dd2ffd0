// Where a sentence ends within running text, so that each gets a leaf. A wrong end divides a leaf and changes no word, so a short
// list of abbreviations is enough here; the engine's rules (`sentence-rules.ts`) decide what a listener gets.

/** The longest end that is looked at: an abbreviation, or a full stop with what closes behind it. */
const LONGEST_END = 10;
const END = /[\p{STerm}…]["'”’»)\]*_]{0,4}$/u;
const ABBREVIATION = /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|cf|ca|al|approx|e\.g|i\.e|bzw|z\.B|Sr|Sra|Mme)\.$/;
const WIDE_END = /[。！？｡][」』）”]*/gu;

/** The places behind the blanks that follow a sentence, in ascending order. The end of the text is none. */
export function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (const { 0: blanks, index } of text.matchAll(/\s+/g)) {
    const before = text.slice(Math.max(0, index - LONGEST_END), index);
    const next = index + blanks.length;
    if (next < text.length && END.test(before) && !ABBREVIATION.test(before) && !startsSmall(text, next))
      ends.push(next);
  }
  for (const { 0: end, index } of text.matchAll(WIDE_END))
    if (index + end.length < text.length && !/\s/.test(text.charAt(index + end.length))) ends.push(index + end.length);
  return ends.sort((one, other) => one - other);
}

function startsSmall(text: string, at: number): boolean {
  return /^\p{Ll}/u.test(text.slice(at, at + 2));
}
