// Breaks help to the width of the output: on 80 columns, on a braille display, in a file.
import { type MaybeTerminal, terminalColumns, USUAL_COLUMNS } from "./terminal-width.js";

const LEAST_WIDTH = 40;

/** Columns for help: those of the terminal, else COLUMNS, else 80. */
export function helpWidth(output: MaybeTerminal, environment: Readonly<Record<string, string | undefined>>): number {
  const asked = terminalColumns(output) ?? Number(environment.COLUMNS);
  return Number.isInteger(asked) && asked >= LEAST_WIDTH ? asked : USUAL_COLUMNS;
}

/** Breaks paragraphs again at `width` columns. Indented lines, such as commands and options, stay as they are. */
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

/** Breaks a paragraph. A word longer than the line gets a line of its own. */
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
