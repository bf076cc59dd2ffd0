// Where a text may be cut, in scripts with spaces and without.

/** The units of text, as boundaries name them (AAEP §5.3.1.6). */
export type TextUnit = "word" | "sentence" | "paragraph";

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Scripts whose sentences may end without a mark, by a space alone. */
const UNMARKED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const CLOSING = /[\p{Pe}\p{Pf}"']/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Whether a cut between two pieces of one text is surely within a unit. Producers find the ends of sentences by different rules, so a cut behind
 * anything but a letter, a digit or a comma passes.
 */
export function cutsWithin(unit: TextUnit, before: string, after: string): boolean {
  if (before === "" || after === "") return false;
  const [first = ""] = after;
  // A mark belongs to the letter before it, in every unit.
  if (/[\p{M}\u200d]/u.test(first)) return true;
  const characters = [...before.trimEnd()];
  const space = before.slice(before.trimEnd().length) + after.slice(0, after.length - after.trimStart().length);
  if (unit === "paragraph") return !space.includes("\n");
  if (unit === "word")
    return space === "" && LETTER.test(characters.at(-1) ?? "") && LETTER.test(first) && !UNSPACED.test(first);
  while (CLOSING.test(characters.at(-1) ?? "")) characters.pop();
  const last = characters.at(-1) ?? "";
  const isPhrase = space !== "" && UNMARKED.test(last);
  return (LETTER.test(last) || /[,;،、]/u.test(last)) && !space.includes("\n") && !isPhrase;
}
