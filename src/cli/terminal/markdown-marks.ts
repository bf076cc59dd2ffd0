// One line of Markdown without its marks inside the line, for reading aloud. Every word stays: marks alone go, and the address of a link whose text
// says something.

/** A part of the line: text, or a run of marks that may open or close an emphasis. */
interface Part {
  text: string;
  /** "*", "_" or "~"; undefined for text. */
  readonly mark?: string;
  readonly opens?: boolean;
  readonly closes?: boolean;
}

/** Characters that mark by runs. */
const MARKS = "`*_~";
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const BLANK_OR_END = /^(?:\s|$)/;
const BESIDE_WORD = /^(?:[\s\p{P}\p{S}]|$)/u;
/** A link or an image: its text, and its address. */
const LINK = /!?\[([^[\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)/y;
const AUTOLINK = /<((?:https?|mailto):[^\s<>]*)>/y;

/** Removes the marks of emphasis and of code, backslashes before marks, and addresses of links. */
export function withoutMarks(line: string): string {
  const parts = partsOf(line);
  pairMarks(parts);
  return parts.map(({ text }) => text).join("");
}

function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  /** Lengths of runs of backticks that do not come again. Each is looked for once, so that many runs cost no more than the line. */
  const lonelyRuns = new Set<number>();
  let plain = "";
  const flush = (): void => {
    if (plain !== "") parts.push({ text: plain });
    plain = "";
  };
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at);
    const run = MARKS.includes(character) ? runLength(line, at) : 1;
    if (character === "\\" && ESCAPABLE.test(line.charAt(at + 1))) {
      plain += line.charAt(at + 1);
      at += 2;
    } else if (character === "`") {
      const end = lonelyRuns.has(run) ? -1 : closingRun(line, at + run, run);
      if (end < 0) lonelyRuns.add(run);
      plain += end < 0 ? line.slice(at, at + run) : line.slice(at + run, end);
      at = end < 0 ? at + run : end + run;
    } else if (character === "*" || character === "_" || (character === "~" && run > 1)) {
      flush();
      parts.push(markAt(line, at, run));
      at += run;
    } else {
      const link = linkAt(line, at);
      plain += link?.text ?? character;
      at += link?.length ?? 1;
    }
  }
  flush();
  return parts;
}

function runLength(line: string, at: number): number {
  let end = at + 1;
  while (line[end] === line[at] && end < line.length) end += 1;
  return end - at;
}

/** The index of the next run of backticks of exactly this length; -1 if there is none. */
function closingRun(line: string, from: number, length: number): number {
  for (let at = line.indexOf("`", from); at >= 0; ) {
    const found = runLength(line, at);
    if (found === length) return at;
    at = line.indexOf("`", at + found);
  }
  return -1;
}

/** A single mark inside a word, or with blanks around it, is no emphasis: `snake_case`, `2 * 3`. Two asterisks are one also inside a word. */
function markAt(line: string, at: number, run: number): Part {
  const mark = line.charAt(at);
  const before = line.charAt(at - 1);
  const after = line.charAt(at + run);
  const isStrong = mark === "*" && run > 1;
  return {
    text: line.slice(at, at + run),
    mark,
    opens: !BLANK_OR_END.test(after) && (isStrong || BESIDE_WORD.test(before)),
    closes: !BLANK_OR_END.test(before) && (isStrong || BESIDE_WORD.test(after)),
  };
}

/** Empties the runs that belong together. A run of two or more goes alone as well: its partner may be in another piece of the text. */
function pairMarks(parts: readonly Part[]): void {
  const open = new Map<string, Part[]>();
  for (const part of parts) {
    if (part.mark === undefined) continue;
    const openers = open.get(part.mark) ?? [];
    open.set(part.mark, openers);
    const opener = part.closes === true ? openers.pop() : undefined;
    if (opener !== undefined) {
      opener.text = "";
      part.text = "";
    } else if (part.opens === true) openers.push(part);
    if (part.text.length > 1 && (part.opens === true || part.closes === true)) part.text = "";
  }
}

function linkAt(line: string, at: number): { readonly text: string; readonly length: number } | undefined {
  for (const expression of [LINK, AUTOLINK]) {
    expression.lastIndex = at;
    const [whole, said = "", address = said] = expression.exec(line) ?? [];
    if (whole !== undefined) return { text: said.trim() === "" ? lastPart(address) : said, length: whole.length };
  }
  return undefined;
}

/** The last part of an address that says something. */
function lastPart(address: string): string {
  return address.split("/").findLast((part) => part !== "") ?? address;
}
