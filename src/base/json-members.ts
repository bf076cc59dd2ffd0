// Reads a text member by member. It serves texts that are refused as documents because a member stands twice in them.
import { closingQuote, endOfValue, nameBetween, scalarIn, skipSpace } from "./json-text.js";

/** A member as it stands in a text. */
export interface JsonMember {
  /** Unescaped. */
  readonly name: string;
  /** Index of the value's first character, and the index behind its last. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the members of the object in `text`, repeated ones as often as they stand there; none if the text is no object. Of a text
 * that is not JSON, what looks like members.
 */
export function membersOf(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  eachMember(text, (name, start, end) => {
    members.push({ name, start, end });
    return "go on";
  });
  return members;
}

/** Returns the texts of the values under any of these names in the object in `text`, without duplicates. */
export function textsOf(text: string, ...names: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  eachMember(text, (name, start, end) => {
    if (names.includes(name)) texts.add(text.slice(start, end));
    return "go on";
  });
  return [...texts];
}

/** Returns the one value that all of these texts have; undefined if they differ, if there is none, and for an object or a list. */
export function soleValue(texts: readonly string[]): unknown {
  const values = new Set(texts.map(scalarIn));
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

/** Visits the members of the object in `text` in their order, as `membersOf` has them, until `visit` has seen enough. */
export function eachMember(
  text: string,
  visit: (name: string, start: number, end: number) => "go on" | "enough",
): void {
  const opening = skipSpace(text, 0);
  if (text.charCodeAt(opening) !== 0x7b) return;
  let index = skipSpace(text, opening + 1);
  while (text.charCodeAt(index) === 0x22) {
    const closing = closingQuote(text, index);
    const start = skipSpace(text, skipSpace(text, closing + 1) + 1);
    const end = endOfValue(text, start);
    if (visit(nameBetween(text, index, closing), start, end) === "enough") return;
    index = skipSpace(text, end);
    if (text.charCodeAt(index) === 0x2c) index = skipSpace(text, index + 1);
  }
}
