// Breaks help to the width of the output: on 80 columns, on a braille display, in a file.
/** Blanks before a text that stands below its term, behind those of the term. */
const BELOW = 4;

/** Breaks a paragraph at `width` columns. A word longer than the line gets a line of its own. */
export type Wrap = (text: string, width: number) => string;

/**
 * Breaks paragraphs again at `width` columns. A block of indented lines stays as it is if it fits. Otherwise each text that stands beside a term, as
 * beside a command of an example, is put below the term. Lines without such a text are never broken.
 */
export function reflowed(text: string, width: number, wrap: Wrap): string {
  const lines: string[] = [];
  const paragraph: string[] = [];
  const block: string[] = [];
  for (const line of [...text.split("\n"), undefined]) {
    const isIndented = line?.startsWith(" ") === true;
    if (block.length > 0 && !isIndented) lines.push(...laidOut(block.splice(0), width, wrap));
    if (paragraph.length > 0 && (isIndented || line === "" || line === undefined))
      lines.push(wrap(paragraph.splice(0).join(" "), width));
    if (line === undefined) break;
    if (isIndented) block.push(line);
    else if (line === "") lines.push(line);
    else paragraph.push(line);
  }
  return lines.join("\n");
}

/** Lays out a block of indented lines. A line that begins below the text of the line before continues that text. */
function laidOut(block: readonly string[], width: number, wrap: Wrap): readonly string[] {
  if (block.every((line) => line.length <= width)) return block;
  const lines: string[] = [];
  let below = "";
  const texts: string[] = [];
  let textAt = Number.POSITIVE_INFINITY;
  const flush = (): void => {
    if (texts.length > 0) lines.push(wrap(texts.splice(0).join(" "), width - below.length).replace(/^/gm, below));
  };
  for (const line of block) {
    const indent = line.length - line.trimStart().length;
    if (indent >= textAt) {
      texts.push(line.trim());
      continue;
    }
    flush();
    const gapAt = line.indexOf("  ", indent);
    lines.push(gapAt < 0 ? line : line.slice(0, gapAt));
    below = " ".repeat(indent + BELOW);
    textAt = Number.POSITIVE_INFINITY;
    if (gapAt < 0) continue;
    const text = line.slice(gapAt).trimStart();
    texts.push(text);
    textAt = line.length - text.length;
  }
  flush();
  return lines;
}
