// Parses the text of a message: the one place where incoming JSON is read, for every protocol. A text that could be read in two ways is refused
// (R19), and so is one with a number that would change (R41), or one that is nested deeper or has more values than any message needs.
import { Fault, faultFrom } from "./errors.js";
import { endOfNumber, isCarried } from "./json-number.js";
import { doubledMember, pointerAt } from "./json-places.js";
import { closingQuote } from "./json-text.js";

/** Levels of objects and lists allowed in a message, the message itself included. */
export const MAX_MESSAGE_DEPTH = 64;

/** Members of objects and entries of lists allowed in a message, at all levels together. Each costs many times its bytes (R34). */
export const MAX_MESSAGE_VALUES = 32_768;

/** The same for messages that go on as text, and whose sender the operator has chosen: answers of providers. */
export const MAX_PASSED_VALUES = 131_072;

/** Levels recorded in an outline: a message, its params, a list in the params, and the items of that list. */
const OUTLINED_DEPTH = 4;

/**
 * The objects and lists in the first four levels of a text, in the order in which they begin. Each has three numbers: the index of the beginning, the
 * index behind the end, and the index of the opening quote of the last name before it, which is the name of a member's value. An outline finds parts
 * of a text without a second pass over it.
 */
export type JsonOutline = readonly number[];

export interface JsonDocument {
  readonly value: unknown;
  readonly outline: JsonOutline;
}

export interface ReadOptions {
  /** Default 32,768. */
  readonly mostValues?: number;
  /** Whether numbers that a double does not carry pass: the text itself goes on (R41). Default false. */
  readonly takesAllNumbers?: boolean;
}

/**
 * Reads the text of one message.
 * @throws Fault "invalid_json"; "message_too_large" for more values than `mostValues`; "invalid_message" for nesting below 64 levels, where two
 * names of one object are equal once they are unescaped, at any depth, with the pointer of the second (R19), and at a number that a double does not
 * carry (R41); nothing else
 */
export function readJsonDocument(
  text: string,
  { mostValues = MAX_MESSAGE_VALUES, takesAllNumbers = false }: ReadOptions = {},
): JsonDocument {
  // The scan comes first: building a value that is nested too deep takes far longer than finding out that it is (R34).
  const { nameCount, numberAt, outline } = scan(text, mostValues);
  const value = parsed(text);
  const count = memberCount(value);
  // The parser keeps the last of equal names, so a text without equal names has exactly as many names as its value has members.
  if (nameCount !== count) throw ambiguous(text);
  if (numberAt !== undefined && !takesAllNumbers) throw changed(text, numberAt);
  return { value, outline };
}

/** The outline of a text that is known to be a message. */
export function outlineOf(text: string): JsonOutline {
  return scan(text, Number.POSITIVE_INFINITY).outline;
}

/** Returns the value alone; otherwise the same as `readJsonDocument`. */
export function parseJsonDocument(text: string, options?: ReadOptions): unknown {
  return readJsonDocument(text, options).value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (caught) {
    const trimmed = text.trim();
    // Of a line of a message that stands on several, the parser's own words say nothing that helps.
    const why = trimmed.startsWith("{") && trimmed.endsWith("}") ? `: ${faultFrom(caught).sentence}` : "";
    const sentence = `A message is not JSON${why}. Write each on one line, or with its length before it.`;
    throw new Fault("invalid_json", sentence, { pointer: "", cause: caught });
  }
}

/** Counts the members of all objects in a value. */
function memberCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) count += memberCount(item);
    return count;
  }
  for (const name in value) {
    count += 1;
    const item = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof item === "object" && item !== null) count += memberCount(item);
  }
  return count;
}

interface Scan {
  readonly nameCount: number;
  /** Index of the first number that a double does not carry. */
  readonly numberAt: number | undefined;
  readonly outline: JsonOutline;
}

/**
 * Counts the names and records the outline in one pass. The scan skips strings; in JSON every colon outside a string follows a name, and every value
 * but the first follows a comma or an opening bracket. The counts mean something only if the text is JSON.
 * @throws Fault "invalid_message" for nesting below 64 levels; "message_too_large"
 */
function scan(text: string, mostValues: number): Scan {
  const outline: number[] = [];
  // The places in the outline of the parts that the index is within.
  const within: number[] = [];
  const { length } = text;
  let nameCount = 0;
  let valueCount = 0;
  let numberAt: number | undefined;
  let nameAt = 0;
  let stringAt = 0;
  let depth = 0;
  for (let index = 0; index < length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        // Most strings contain no backslash before their end, so they need no call.
        const quote = text.indexOf('"', index + 1);
        const isPlain = quote > 0 && text.charCodeAt(quote - 1) !== 0x5c;
        stringAt = index;
        index = isPlain ? quote : closingQuote(text, index);
        break;
      }
      case 0x3a:
        nameCount += 1;
        nameAt = stringAt;
        break;
      case 0x2c:
        valueCount += 1;
        if (valueCount > mostValues) throw tooMany(mostValues);
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > MAX_MESSAGE_DEPTH) throw tooDeep();
        valueCount += 1;
        if (depth <= OUTLINED_DEPTH) {
          within[depth] = outline.length;
          outline.push(index, length, nameAt);
        }
        break;
      case 0x7d:
      case 0x5d:
        if (depth <= OUTLINED_DEPTH && depth > 0) outline[(within[depth] ?? 0) + 1] = index + 1;
        depth -= 1;
        if (isEmpty(text, index)) valueCount -= 1;
        break;
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39: {
        const end = endOfNumber(text, index);
        if (numberAt === undefined && !isCarried(text.slice(index, end)))
          numberAt = text.charCodeAt(index - 1) === 0x2d ? index - 1 : index;
        index = end - 1;
        break;
      }
    }
  }
  // Of the last objects and lists no comma tells.
  if (valueCount > mostValues) throw tooMany(mostValues);
  return { nameCount, numberAt, outline };
}

/** Whether the object or list that ends there has no first value. */
function isEmpty(text: string, closing: number): boolean {
  let before = closing - 1;
  while (text.charCodeAt(before) <= 0x20) before -= 1;
  return (text.charCodeAt(before) | 0x20) === 0x7b;
}

/** Refuses an object or a list at that level; the message itself is level 1. @throws Fault "invalid_message" (AAEP §3.7) */
export function assertLevel(depth: number): void {
  if (depth > MAX_MESSAGE_DEPTH) throw tooDeep();
}

function tooDeep(): Fault {
  const sentence = `A message may be nested at most ${MAX_MESSAGE_DEPTH} levels deep; this one goes deeper. Make it flatter.`;
  return new Fault("invalid_message", sentence, { pointer: "", rule: "AAEP §3.7" });
}

function tooMany(most: number): Fault {
  const sentence = `A message may have at most ${most} members of objects and entries of lists; this one has more. Send less at a time.`;
  return new Fault("message_too_large", sentence, { pointer: "", rule: "AAEP §3.7" });
}

function changed(text: string, place: number): Fault {
  const pointer = pointerAt(text, place);
  const number = shortened(text.slice(place, endOfNumber(text, place)));
  // Not every protocol has a member for the pointer.
  const sentence = `${number} at ${pointer === "" ? "the root" : shortened(pointer)} is no number that a double holds, and would change. Write it as a string.`;
  return new Fault("invalid_message", sentence, { pointer, rule: "R41" });
}

function ambiguous(text: string): Fault {
  const { name, pointer } = doubledMember(text);
  const sentence = `Write each member once; ${quoted(name)} stands twice in one object.`;
  return new Fault("invalid_message", sentence, { pointer, rule: "R19" });
}

/** Code units of a name or a number that a fault quotes; longer ones are no deliberate ones. */
const LONGEST_QUOTED = 80;

function quoted(name: string): string {
  return JSON.stringify(shortened(name));
}

function shortened(text: string): string {
  return text.length <= LONGEST_QUOTED ? text : `${text.slice(0, LONGEST_QUOTED)}…`;
}
