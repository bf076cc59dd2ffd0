// Makes text of agents safe for a terminal. Every character of a text stays: those that could move the cursor, change colours or reorder lines are
// shown by their numbers.
import { characterEscape } from "../../base/json-line.js";
import { jsonText } from "./json-text.js";

/** C0 and C1 controls, DEL, and the marks that override the direction of what follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const COLOURS = /\u001b\[[0-9;:]*m/g;

/** One line: white space becomes one space, and the ends are trimmed. A control character is shown as `\u001b`; nothing is left out. */
export function shownText(text: string): string {
  return text
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/^ | $/g, "")
    .replace(UNSHOWN, characterEscape);
}

/** The text without the sequences that choose colours (ECMA-48, SGR). They have no words. Not for what a person consents to. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, "");
}

/** One line that shows every character of the text, for readers of text in pieces. */
export function quotedText(text: string): string {
  return jsonText(text);
}

/** East Asian characters and pictures that take two columns. An approximation good enough for a table; there is no exact answer. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;
const ZERO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** Columns of a terminal that a grapheme cluster takes. */
function clusterColumns(cluster: string): number {
  if (ZERO_WIDTH.test(cluster)) return 0;
  return WIDE.test(cluster) ? 2 : 1;
}

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of CLUSTERS.segment(text)) columns += clusterColumns(segment);
  return columns;
}

/** Cuts text into lines of at most `columns`, at spaces if there are any. Never returns an empty list. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let lineColumns = 0;

  function append(piece: string, pieceColumns: number): void {
    if (lineColumns + pieceColumns > columns && line !== "") {
      lines.push(line.trimEnd());
      line = "";
      lineColumns = 0;
    }
    line += piece;
    lineColumns += pieceColumns;
  }

  for (const word of text.split(" ")) {
    if (line !== "" && lineColumns < columns) append(" ", 1);
    const wordColumns = columnsOf(word);
    // A word longer than a line begins on this one: text without spaces is one word.
    if (wordColumns <= columns) append(word, wordColumns);
    else for (const { segment } of CLUSTERS.segment(word)) append(segment, clusterColumns(segment));
  }
  return [...lines, line.trimEnd()];
}
