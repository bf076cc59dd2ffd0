// Finds parts of a text by the outline that was made when it was read.
import type { JsonOutline } from "./json-document.js";
import { closingQuote, nameBetween } from "./json-text.js";

/** An object or a list of the outline. */
export interface OutlinedPart {
  /** Index of the first character, and the index behind the last. */
  readonly start: number;
  readonly end: number;
  /** Index of the part in the outline. */
  readonly mark: number;
}

/** Numbers of the outline for each part. */
const STEP = 3;

/** Returns the part at this index of the outline; undefined if there is none. */
export function partAt(outline: JsonOutline, mark: number): OutlinedPart | undefined {
  const start = outline[mark];
  const end = outline[mark + 1];
  return start === undefined || end === undefined ? undefined : { start, end, mark };
}

/** Returns the objects and lists that stand directly in a part, in the order of the text. */
export function partsIn(outline: JsonOutline, whole: OutlinedPart): readonly OutlinedPart[] {
  const parts: OutlinedPart[] = [];
  let end = 0;
  for (let mark = whole.mark + STEP; (outline[mark] ?? whole.end) < whole.end; mark += STEP) {
    // A part that begins before the end of the last part stands in the last part.
    const part = (outline[mark] ?? 0) < end ? undefined : partAt(outline, mark);
    if (part === undefined) continue;
    end = part.end;
    parts.push(part);
  }
  return parts;
}

/** Returns the member of an object if the member is an object or a list. */
export function partNamed(
  text: string,
  outline: JsonOutline,
  object: OutlinedPart,
  name: string,
): OutlinedPart | undefined {
  return partsIn(outline, object).find(({ mark }) => {
    const opening = outline[mark + 2] ?? 0;
    return nameBetween(text, opening, closingQuote(text, opening)) === name;
  });
}
