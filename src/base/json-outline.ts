// Parts of a text that was read, found by its outline.
import type { JsonOutline } from "./json-document.js";
import { closingQuote, nameBetween } from "./json-text.js";

/** An object or a list of the outline. */
export interface OutlinedPart {
  /** The index at which the part begins, and the index behind its end. */
  readonly start: number;
  readonly end: number;
  /** The place of the part in the outline. */
  readonly mark: number;
}

/** How many numbers of the outline a part has. */
const STEP = 3;

/** The part at this place of an outline; undefined where there is none. */
export function partAt(outline: JsonOutline, mark: number): OutlinedPart | undefined {
  const start = outline[mark];
  const end = outline[mark + 1];
  return start === undefined || end === undefined ? undefined : { start, end, mark };
}

/** The objects and lists that stand directly in a part, in their order. */
export function partsIn(outline: JsonOutline, whole: OutlinedPart): readonly OutlinedPart[] {
  const parts: OutlinedPart[] = [];
  let end = 0;
  for (let mark = whole.mark + STEP; (outline[mark] ?? whole.end) < whole.end; mark += STEP) {
    // A part that begins before the end of the last one stands in that.
    const part = (outline[mark] ?? 0) < end ? undefined : partAt(outline, mark);
    if (part === undefined) continue;
    end = part.end;
    parts.push(part);
  }
  return parts;
}

/** The member of an object, where it is an object or a list. */
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
