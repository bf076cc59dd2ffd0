// Text of agents on a terminal. It may hold anything, so that what could move the cursor, recolour or reorder lines is taken out.
import { jsonText } from "./json-text.js";

/** C0 and C1 controls, DEL, and the marks that override the direction of what follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** One line: white space is one space, nothing at the ends. */
export function shownText(text: string): string {
  return text.replace(/\s+/g, " ").replace(UNSHOWN, "").trim();
}

/** One line on which every character of the text can be told, for those who look at pieces of it. */
export function quotedText(text: string): string {
  return jsonText(text);
}

/** Characters of East Asian scripts and pictures that take two columns. Near enough for a table; there is no exact answer. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;
const ZERO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** How many columns of a terminal a grapheme cluster takes. */
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

/** Cut into lines of at most `columns`, at spaces where there are any. Never an empty list. */
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
    // A word that fits no line begins on this one: text without spaces is one word.
    if (wordColumns <= columns) append(word, wordColumns);
    else for (const { segment } of CLUSTERS.segment(word)) append(segment, clusterColumns(segment));
  }
  return [...lines, line.trimEnd()];
}

/** Filled up with spaces to so many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
