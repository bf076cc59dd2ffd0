// The agent's own text of an event, cut from the message that it came in, so that an unchanged event goes out byte-identical (AAEP §8.2.1, R2).
import { Fault } from "../../base/errors.js";
import { assertShallow } from "./json-codec.js";
import { MAX_MESSAGE_DEPTH } from "./limits.js";

const NAME = '"params"';
const LONG_NAME = '"events"';

/**
 * The text of `params`, or of each of its elements where it is an array, as it stands in `message`, which JSON.parse has accepted. Throws
 * "invalid_event" for a member that stands twice: two readers could see two different events. Throws "invalid_message" for nesting that no
 * event needs. `isLong`: `params` is what stands as `events` in the params.
 */
export function sourceTexts(message: string, params: unknown, isLong = false): readonly string[] {
  const isArray = Array.isArray(params);
  const values: readonly unknown[] = isArray ? params : [params];
  const texts = quickTexts(message, values, isArray, isLong);
  if (texts !== undefined) return texts;
  assertShallow(message);
  return scanned(message, isArray, isLong, values.length) ?? values.map((value) => JSON.stringify(value));
}

/**
 * The texts where the message is laid out as nearly all are: `params` in the outermost object, nothing nested before it, no second one. One pass
 * that reads no more than what stands between strings. As many members in a text as its value has, so none stands twice. Undefined otherwise.
 */
function quickTexts(
  message: string,
  values: readonly unknown[],
  isArray: boolean,
  isLong: boolean,
): readonly string[] | undefined {
  const at = message.indexOf(NAME);
  if (at < 0 || at > LONGEST_HEAD || message.charCodeAt(0) !== BRACE) return undefined;
  // Without an escape before it, this is a name of the outermost object, and without one behind it, there is no other such name.
  for (let index = 1; index < at; index += 1) {
    const unit = message.charCodeAt(index);
    if (unit === BRACE || unit === BRACKET || unit === ESCAPE) return undefined;
  }
  let next = after(message, at + NAME.length, COLON);
  if (isLong) {
    next = after(message, next, BRACE);
    if (!message.startsWith(LONG_NAME, next)) return undefined;
    next = after(message, next + LONG_NAME.length, COLON);
  }
  const texts: string[] = [];
  for (const value of values) {
    if (isArray) next = after(message, next, texts.length === 0 ? BRACKET : COMMA);
    const extent = next < 0 ? undefined : extentOf(message, next);
    if (extent === undefined || extent.memberCount !== memberCount(value)) return undefined;
    texts.push(copyOf(message, next, extent.end));
    next = extent.end;
  }
  if (next >= message.length - 1) return texts;
  const rest = message.slice(next);
  return rest.includes(isLong ? LONG_NAME : NAME) || rest.includes("\\") ? undefined : texts;
}

/** What stands around a single event, as a rule. */
const ENVELOPE_LENGTH = 128;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const ESCAPE = 0x5c;

/** Of what stands before the params of nearly all messages. */
const LONGEST_HEAD = 512;

/** Where the text goes on after a mark and the white space on either side of it; -1 where another stands there. */
function after(text: string, from: number, mark: number): number {
  if (from < 0) return -1;
  const at = skipSpace(text, from);
  return text.charCodeAt(at) === mark ? skipSpace(text, at + 1) : -1;
}

function skipSpace(text: string, from: number): number {
  let index = from;
  while (isWhiteSpace(text.charCodeAt(index))) index += 1;
  return index;
}

/** A text of its own, unless it is nearly the whole message: a slice keeps that in memory as long as the event is kept. */
function copyOf(message: string, start: number, end: number): string {
  if (message.length - (end - start) <= ENVELOPE_LENGTH) return message.slice(start, end);
  return ` ${message.slice(start, end)}`.slice(1);
}

/** Where the object that begins there ends, and how many members are in it at all depths. Undefined for anything else, and below 64 levels. */
function extentOf(text: string, start: number): { readonly end: number; readonly memberCount: number } | undefined {
  if (text.charCodeAt(start) !== 0x7b) return undefined;
  let depth = 0;
  let count = 0;
  for (let index = start; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22:
        index = closingQuote(text, index);
        break;
      case 0x3a:
        count += 1;
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > MAX_MESSAGE_DEPTH) return undefined;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        if (depth === 0) return { end: index + 1, memberCount: count };
        break;
    }
  }
  return undefined;
}

/** By jumps, because most of a message is within strings. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); ; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}

function memberCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += memberCount(item);
  else {
    for (const name in value) count += 1 + memberCount((value as Readonly<Record<string, unknown>>)[name]);
  }
  return count;
}

function scanned(message: string, isArray: boolean, isLong: boolean, count: number): readonly string[] | undefined {
  const scanner = createScanner(message);
  const params = scanner.member("params", 0);
  const found = isLong && params !== undefined ? scanner.member("events", params.start) : params;
  if (found === undefined) return undefined;
  const extents = isArray ? scanner.elements(found.start) : [found];
  if (extents.length !== count) return undefined;
  return extents.map(({ start, end }) => copyOf(message, start, end));
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
    let index = skipSpace(text, from + 1);
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
      const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const end = endOfValue(start);
      visit(String(name), { start, end });
      index = skipSpace(text, end);
      if (text.charCodeAt(index) === 0x2c) index = skipSpace(text, index + 1);
    }
    return index + 1;
  };

  const items = (from: number, visit: (extent: Extent) => void): number => {
    let index = skipSpace(text, from + 1);
    while (text.charCodeAt(index) !== 0x5d) {
      const end = endOfValue(index);
      visit({ start: index, end });
      index = skipSpace(text, end);
      if (text.charCodeAt(index) === 0x2c) index = skipSpace(text, index + 1);
    }
    return index + 1;
  };

  return {
    member: (wanted, start) => {
      let found: Extent | undefined;
      members(skipSpace(text, start), (name, extent) => {
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
