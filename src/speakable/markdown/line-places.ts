// Where lines, and the contents of blocks, stand in a text.

export class LinePlaces {
  private readonly source: string;
  private readonly starts: readonly number[];

  constructor(source: string) {
    this.source = source;
    const starts = [0];
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
    this.starts = starts;
  }

  start(line: number): number {
    return this.starts[line] ?? this.source.length;
  }

  /** Without the line feed. */
  end(line: number): number {
    const next = this.starts[line + 1];
    return next === undefined ? this.source.length : next - 1;
  }

  text(line: number): string {
    return this.source.slice(this.start(line), this.end(line));
  }

  /** The cells of a table's row, each with the bar behind it. */
  cells(line: number): readonly (readonly [number, number])[] {
    const text = this.text(line);
    const found: (readonly [number, number])[] = [];
    // The block quotes and the list marker in front have no bar.
    const first = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)*/.exec(text)?.[0].length ?? 0;
    let from = first;
    let isEscaped = false;
    for (let at = first; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === "|" && !isEscaped && at > first) {
        found.push([this.start(line) + from, this.start(line) + at + 1]);
        from = at + 1;
      }
      isEscaped = character === "\\" && !isEscaped;
    }
    if (text.slice(from).trim() !== "") found.push([this.start(line) + from, this.end(line)]);
    return found;
  }
}

/** The places of a block's content, whose lines are the ends of lines of the text. */
export class ContentPlaces {
  readonly content: string;
  private readonly lines: { readonly at: number; readonly from: number; readonly start: number }[] = [];
  private readonly last: number;

  constructor(content: string, firstLine: number, places: LinePlaces) {
    this.content = content;
    let at = 0;
    let end = 0;
    const lines = content.split("\n");
    for (const [index, line] of lines.entries()) {
      const start = places.start(firstLine + index);
      const source = places.text(firstLine + index);
      // Only the last line has lost the blanks at its end.
      const kept = index === lines.length - 1 ? asciiTrimmedEnd(source) : source.length;
      end = start + kept;
      this.lines.push({ at, from: end - line.length, start });
      at += line.length + 1;
    }
    this.last = end;
  }

  /** The place in the text of a place in the content. */
  toText(at: number): number {
    if (at >= this.content.length) return this.last;
    const line = this.lines[this.lineAt((one) => one.at <= at)];
    // A tab in front may have become several blanks.
    return line === undefined ? at : Math.max(line.start, line.from + at - line.at);
  }

  /** The place in the content of a place in the text; that of the next line's beginning for one between the lines. */
  toContent(at: number): number {
    const line = this.lines[this.lineAt((one) => one.start <= at)];
    return line === undefined ? 0 : Math.min(line.at + Math.max(0, at - line.from), this.content.length);
  }

  private lineAt(holds: (line: { readonly at: number; readonly start: number }) => boolean): number {
    let [low, high] = [0, this.lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const line = this.lines[middle];
      if (line !== undefined && holds(line)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** As markdown-it trims: other blanks of Unicode stay. */
function asciiTrimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && /[ \t\r\n]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
