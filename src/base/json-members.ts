// What a text says of itself, member by member, where it cannot be taken as a document because it says something twice.
import { closingQuote, endOfValue, nameBetween, skipSpace } from "./json-text.js";

/** A member as it stands in a text. */
export interface JsonMember {
  /** Unescaped. */
  readonly name: string;
  /** Where its value begins, and what stands behind that. */
  readonly start: number;
  readonly end: number;
}

/** The members of the object that a text is, each as often as it stands there; none of anything else. For text that a parser has accepted. */
export function membersOf(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  eachMember(text, (name, start, end) => members.push({ name, start, end }));
  return members;
}

/** The texts of the values that stand under one of these names in the object that a text is; of equal ones, one. */
export function textsOf(text: string, ...names: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  eachMember(text, (name, start, end) => {
    if (names.includes(name)) texts.add(text.slice(start, end));
  });
  return [...texts];
}

/** The one value that all of these texts have; undefined where they differ, and where there is none. For values that are no objects or lists. */
export function soleValue(texts: readonly string[]): unknown {
  const values = new Set(texts.map((text): unknown => JSON.parse(text)));
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

function eachMember(text: string, visit: (name: string, start: number, end: number) => void): void {
  const opening = skipSpace(text, 0);
  if (text.charCodeAt(opening) !== 0x7b) return;
  let index = skipSpace(text, opening + 1);
  while (text.charCodeAt(index) === 0x22) {
    const closing = closingQuote(text, index);
    const start = skipSpace(text, skipSpace(text, closing + 1) + 1);
    const end = endOfValue(text, start);
    visit(nameBetween(text, index, closing), start, end);
    index = skipSpace(text, end);
    if (text.charCodeAt(index) === 0x2c) index = skipSpace(text, index + 1);
  }
}
