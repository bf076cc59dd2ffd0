// Help as wide as the terminal is, whoever reads it: on 80 columns, on a braille display, in a file.
import { type MaybeTerminal, terminalColumns, USUAL_COLUMNS } from "./terminal-width.js";

const LEAST_WIDTH = 40;

/** Columns that help may have: the terminal's, else what COLUMNS says, else 80. */
export function helpWidth(output: MaybeTerminal, environment: Readonly<Record<string, string | undefined>>): number {
  const asked = terminalColumns(output) ?? Number(environment.COLUMNS);
  return Number.isInteger(asked) && asked >= LEAST_WIDTH ? asked : USUAL_COLUMNS;
}

/** Breaks paragraphs anew at `width` columns. Lines that are indented, as commands and options are, stay as they are. */
export function reflowed(text: string, width: number): string {
  const lines: string[] = [];
  let isParagraph = false;
  for (const line of text.split("\n")) {
    const isText = line !== "" && !line.startsWith(" ");
    const last = isParagraph ? lines.pop() : undefined;
    if (isText) lines.push(...broken(last === undefined ? line : `${last} ${line}`, width));
    else lines.push(...(last === undefined ? [line] : [last, line]));
    isParagraph = isText;
  }
  return lines.join("\n");
}

/** A word that is longer than the line stands alone on one. */
function broken(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
