// The agent's own text of an event, cut from the message that it came in, so that an unchanged event goes out byte-identical (AAEP §8.2.1, R2).
import { Fault } from "../../base/errors.js";
import { assertShallow } from "./json-codec.js";

const MARKER = '"params":';
const LONG_MARKER = '"params":{"events":';

/**
 * The text of `params`, or of each of its elements where it is an array, as it stands in `message`. Almost always it is what
 * `JSON.stringify` makes of the value, which is needed anyway; only otherwise is the message scanned. Throws "invalid_event" for a member
 * that stands twice: two readers could see two different events. Throws "invalid_message" for nesting that no event needs.
 * `isLong`: `params` is what stands as `events` in the params.
 */
export function sourceTexts(message: string, params: unknown, isLong = false): readonly string[] {
  const isArray = Array.isArray(params);
  const values: readonly unknown[] = isArray ? params : [params];
  const texts = values.map((value) => compactText(value, message));
  const marker = isLong ? LONG_MARKER : MARKER;
  const at = message.indexOf(marker);
  if (at >= 0 && standsAt(message, at + marker.length, texts, isArray)) return texts;
  assertShallow(message);
  return scanned(message, isArray, isLong, values.length) ?? texts;
}

function compactText(value: unknown, message: string): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (caught) {
    // Nested so deep that the platform gave up: the message is told so in the protocol's words.
    assertShallow(message);
    throw caught;
  }
  assertShallow(text);
  return text;
}

/**
 * Whether `message` goes on with just these texts at `start`. Piece by piece, because joining them would copy all of it; by slices, because
 * `startsWith` compares a character at a time and costs twice what parsing does.
 */
function standsAt(message: string, start: number, texts: readonly string[], isArray: boolean): boolean {
  const isAt = (text: string, at: number) => message.slice(at, at + text.length) === text;
  if (!isArray) return isAt(texts[0] ?? "", start);
  let at = start;
  for (const text of texts) {
    if (!isAt(at === start ? "[" : ",", at) || !isAt(text, at + 1)) return false;
    at += 1 + text.length;
  }
  return isAt(texts.length === 0 ? "[]" : "]", at);
}

function scanned(message: string, isArray: boolean, isLong: boolean, count: number): readonly string[] | undefined {
  const scanner = createScanner(message);
  const params = scanner.member("params", 0);
  const found = isLong && params !== undefined ? scanner.member("events", params.start) : params;
  if (found === undefined) return undefined;
  const extents = isArray ? scanner.elements(found.start) : [found];
  if (extents.length !== count) return undefined;
  return extents.map(({ start, end }) => message.slice(start, end));
}

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Walks text that JSON.parse has accepted. */
function createScanner(text: string): {
  /** Of the object that begins there. */
  readonly member: (name: string, start: number) => Extent | undefined;
  readonly elements: (start: number) => readonly Extent[];
} {
  const skipSpace = (from: number): number => {
    let index = from;
    while (isWhiteSpace(text.charCodeAt(index))) index += 1;
    return index;
  };

  const endOfValue = (from: number): number => {
    const unit = text.charCodeAt(from);
    if (unit === 0x22) return endOfString(text, from);
    if (unit === 0x7b) return members(from, () => {});
    if (unit === 0x5b) return items(from, () => {});
    let index = from;
    while (index < text.length && !isDelimiter(text.charCodeAt(index))) index += 1;
    return index;
  };

  const members = (from: number, visit: (name: string, extent: Extent) => void): number => {
    const names = new Set<string>();
    let index = skipSpace(from + 1);
    while (text.charCodeAt(index) !== 0x7d) {
      const nameEnd = endOfString(text, index);
      const name: unknown = JSON.parse(text.slice(index, nameEnd));
      if (names.has(String(name))) {
        throw new Fault(
          "invalid_event",
          `Write each member once; ${JSON.stringify(name)} stands twice in one object.`,
          {
            pointer: "",
            rule: "AAEP §3.6",
          },
        );
      }
      names.add(String(name));
      const start = skipSpace(skipSpace(nameEnd) + 1);
      const end = endOfValue(start);
      visit(String(name), { start, end });
      index = skipSpace(end);
      if (text.charCodeAt(index) === 0x2c) index = skipSpace(index + 1);
    }
    return index + 1;
  };

  const items = (from: number, visit: (extent: Extent) => void): number => {
    let index = skipSpace(from + 1);
    while (text.charCodeAt(index) !== 0x5d) {
      const end = endOfValue(index);
      visit({ start: index, end });
      index = skipSpace(end);
      if (text.charCodeAt(index) === 0x2c) index = skipSpace(index + 1);
    }
    return index + 1;
  };

  return {
    member: (wanted, start) => {
      let found: Extent | undefined;
      members(skipSpace(start), (name, extent) => {
        if (name === wanted) found = extent;
      });
      return found;
    },
    elements: (start) => {
      const found: Extent[] = [];
      items(start, (extent) => found.push(extent));
      return found;
    },
  };
}

function endOfString(text: string, from: number): number {
  let index = from + 1;
  while (text.charCodeAt(index) !== 0x22) index += text.charCodeAt(index) === 0x5c ? 2 : 1;
  return index + 1;
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function isDelimiter(unit: number): boolean {
  return unit === 0x2c || unit === 0x7d || unit === 0x5d || isWhiteSpace(unit);
}
