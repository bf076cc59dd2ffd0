// Reads a text member by member. It serves texts that are refused as documents because a member stands twice in them.
import { closingQuote, endOfValue, nameBetween, scalarIn, skipSpace } from "./json-text.js";

/** Members of an object that are looked through: more than any message has. This bounds the cost of a refused text (R34). */
const MOST_MEMBERS = 1024;

/** Returns the names of the first 1,024 members of the object in `text`. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  firstMembers(text, (name) => names.add(name));
  return names;
}

/** Returns the texts of the values under any of these names among the first 1,024 members of the object in `text`, without duplicates. */
export function textsOf(text: string, ...names: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  firstMembers(text, (name, start, end) => {
    if (names.includes(name)) texts.add(text.slice(start, end));
  });
  return [...texts];
}

function firstMembers(text: string, visit: (name: string, start: number, end: number) => void): void {
  let count = 0;
  eachMember(text, (name, start, end) => {
    visit(name, start, end);
    count += 1;
    return count < MOST_MEMBERS ? "go on" : "enough";
  });
}

/** Returns the one value that all of these texts have; undefined if they differ, if there is none, and for an object or a list. */
export function soleValue(texts: readonly string[]): unknown {
  const values = new Set(texts.map(scalarIn));
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

/** The part of a text in which an id is looked for, UTF-16 units: a sender writes ids first. */
const LONGEST_LOOK = 4096;
const IDS = { id: /"id"\s*:\s*"([^"\\]{1,256})"/, req_id: /"req_id"\s*:\s*"([^"\\]{1,256})"/ };

/** The id that stands first in a text, whatever the text is. */
export function idIn(text: string | undefined, name: keyof typeof IDS = "id"): string | undefined {
  return IDS[name].exec(text?.slice(0, LONGEST_LOOK) ?? "")?.[1];
}

/**
 * Visits the members of the object in `text` in their order until `visit` has seen enough, repeated ones as often as they stand there; none if the
 * text is no object. Of a text that is not JSON, what looks like members. `name`: unescaped. `start`, `end`: index of the value's first character,
 * and the index behind its last.
 */
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
