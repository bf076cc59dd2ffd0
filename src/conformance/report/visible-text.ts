// Text from the wire, so that a reader sees all of it. A target could otherwise hide bytes, or reorder what a person reads.

/**
 * Controls but tab and line feed, half surrogate pairs, noncharacters, the byte order mark, line and paragraph separators, and the marks that reorder
 * text. XML 1.0 has no way to write most of them, and HTML drops or changes some. Joiners stay, because words and pictures need them.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff\ufffe\uffff]|\p{Surrogate}/gu;
const SPACING = /[\t\n]/g;

/** Replaces each invisible character by its code point, as in "⟨U+0000⟩". Every character of the answer can stand in HTML and XML. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, codePointName);
}

/** The same on one line: tabs and line feeds get their code points too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(SPACING, codePointName);
}

function codePointName(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
