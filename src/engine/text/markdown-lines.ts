// The kind of a line, decided by its first token, so that a stream knows it as early as possible, and always gets the same result. Of a line that
// begins with three backticks all is read, because another backtick makes it running text.

export type LineKind =
  /** Undecided: more of the line's beginning is needed. */
  | { readonly kind: "unknown" }
  /** A line of white space only (and quote marks). `end` is the index after its line feed. */
  | { readonly kind: "blank"; readonly end: number }
  /** Running text, which continues running text of the line before. */
  | { readonly kind: "prose"; readonly content: number }
  /** A list item or heading: a block of its own. Its text begins at `content` and ends with the line. */
  | { readonly kind: "item"; readonly content: number }
  /** A table row: a block of its own, without sentences in it. */
  | { readonly kind: "row" }
  /** A thematic break, the underline of a heading or the delimiter of a table. It belongs to the text before it, and ends with its line. */
  | { readonly kind: "rule" }
  /** The opening of a fenced code block. */
  | { readonly kind: "fence"; readonly mark: string };

const UNKNOWN: LineKind = { kind: "unknown" };
/** Longest token that matters here; a longer one is running text. */
const LONGEST_TOKEN = 16;
/** Longest indentation that matters. Without a limit, a stream of spaces would be read again with each space. */
const LONGEST_INDENT = 256;

const BULLET = /^(?:[-*+•‣◦–—]|\d{1,4}[.)])$/;
const HEADING = /^#{1,6}$/;
const FENCE = /^(?:`{3,}|~{3,})/;
/** Longest line that is read to its end for a backtick. */
const LONGEST_OPENING = 256;
const RULE = /^(?:-{3,}|={3,}|\*{3,}|_{3,}|:?-{2,}:?(?:\|[-:|]*)?)$/;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x3000 || code === 0xa0;
}

/**
 * The kind of the line that begins at `start`. With `ended` no text follows, and the beginning decides. Without `markdown` a line is blank or prose.
 */
export function lineKindAt(text: string, start: number, markdown: boolean, ended: boolean): LineKind {
  let begin = start;
  while (begin < text.length) {
    const code = text.charCodeAt(begin);
    if (!isBlank(code) && !(markdown && code === 0x3e)) break;
    begin += 1;
    if (begin - start > LONGEST_INDENT) return { kind: "prose", content: begin };
  }
  if (begin === text.length) return UNKNOWN;
  if (text.charCodeAt(begin) === 0x0a) return { kind: "blank", end: begin + 1 };
  // A quote mark belongs to the text behind it.
  const prose: LineKind = { kind: "prose", content: firstInk(text, start) };
  if (!markdown || /[\p{L}]/u.test(text.charAt(begin))) return prose;
  if (text.charCodeAt(begin) === 0x7c) return { kind: "row" };

  let end = begin;
  while (end < text.length && end - begin < LONGEST_TOKEN) {
    const code = text.charCodeAt(end);
    if (isBlank(code) || code === 0x0a) break;
    end += 1;
  }
  if (end === text.length && end - begin < LONGEST_TOKEN && !ended) return UNKNOWN;
  const fence = fenceAt(text.slice(begin, begin + LONGEST_OPENING), ended);
  if (fence !== undefined) return fence;
  const token = text.slice(begin, end);
  if (RULE.test(token)) return { kind: "rule" };
  if (BULLET.test(token) || HEADING.test(token)) return { kind: "item", content: end };
  return prose;
}

/** The fence with which a line begins. Where another backtick follows in the line, its backticks hold code inside a sentence. */
function fenceAt(line: string, ended: boolean): LineKind | undefined {
  const mark = FENCE.exec(line)?.[0];
  if (mark === undefined) return undefined;
  const feed = line.indexOf("\n");
  const info = line.slice(mark.length, feed < 0 ? line.length : feed);
  if (mark.startsWith("`") && info.includes("`")) return undefined;
  const isKnown = mark.startsWith("~") || feed >= 0 || ended || line.length >= LONGEST_OPENING;
  // However much of a long mark has arrived, it is the same.
  return isKnown ? { kind: "fence", mark: mark.slice(0, LONGEST_TOKEN) } : UNKNOWN;
}

function firstInk(text: string, start: number): number {
  let index = start;
  while (index < text.length && isBlank(text.charCodeAt(index))) index += 1;
  return index;
}

/**
 * Whether the line at `start`, inside a code block opened by `mark`, closes the block. Undefined: undecided. A closing line has only the mark, at
 * least as long as the opening one.
 */
export function closesFence(text: string, start: number, mark: string, ended: boolean): boolean | undefined {
  let index = start;
  while (index < text.length && (isBlank(text.charCodeAt(index)) || text.charAt(index) === ">")) index += 1;
  const from = index;
  while (index < text.length && text[index] === mark[0]) index += 1;
  const marks = index - from;
  while (index < text.length && isBlank(text.charCodeAt(index))) index += 1;
  if (index - start > LONGEST_INDENT) return false;
  if (index < text.length) return text.charCodeAt(index) === 0x0a && marks >= mark.length;
  return ended ? marks >= mark.length : undefined;
}
