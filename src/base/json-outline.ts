// Finds parts of a text by the outline that was made when it was read.
import type { JsonOutline } from "./json-document.js";
import { closingQuote, endOfValue, nameBetween, skipSpace } from "./json-text.js";

/** An object or a list of the outline. */
export interface OutlinedPart {
  /** Index of the first character, and the index behind the last. */
  readonly start: number;
  readonly end: number;
  /** Index of the part's beginning in the outline. */
  readonly mark: number;
}

/** Returns the part that begins at this index of the outline; undefined if none begins there. */
export function partAt(outline: JsonOutline, mark: number): OutlinedPart | undefined {
  const start = outline[mark];
  if (start === undefined || start < 0) return undefined;
  return { start, end: ~(outline[lastMark(outline, mark)] ?? 0) + 1, mark };
}

/** Returns the objects and lists that stand directly in a part, in the order of the text. */
export function partsIn(outline: JsonOutline, { mark }: OutlinedPart): readonly OutlinedPart[] {
  const parts: OutlinedPart[] = [];
  let part = partAt(outline, mark + 1);
  while (part !== undefined) {
    parts.push(part);
    part = partAt(outline, lastMark(outline, part.mark) + 1);
  }
  return parts;
}

/** Returns the member `name` of an object, if its value is an object or a list. */
export function partNamed(
  text: string,
  outline: JsonOutline,
  object: OutlinedPart,
  name: string,
): OutlinedPart | undefined {
  let next = object.mark + 1;
  let index = skipSpace(text, object.start + 1);
  while (text.charCodeAt(index) === 0x22) {
    const closing = closingQuote(text, index);
    const start = skipSpace(text, skipSpace(text, closing + 1) + 1);
    const part = outline[next] === start ? partAt(outline, next) : undefined;
    if (nameBetween(text, index, closing) === name) return part;
    if (part !== undefined) next = lastMark(outline, next) + 1;
    index = skipSpace(text, part?.end ?? endOfValue(text, start));
    if (text.charCodeAt(index) === 0x2c) index = skipSpace(text, index + 1);
  }
  return undefined;
}

/** Returns the index in the outline of the end of the part that begins at `mark`. */
function lastMark(outline: JsonOutline, mark: number): number {
  let depth = 0;
  for (let at = mark; at < outline.length; at += 1) {
    depth += (outline[at] ?? 0) < 0 ? -1 : 1;
    if (depth === 0) return at;
  }
  return mark;
}
