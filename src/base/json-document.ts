// Parses the text of a message: the one place where incoming JSON is read, for every protocol. A text that could be read in two ways is refused
// (R19), and so is one that is nested deeper than any message needs.
import { doubledMember } from "./doubled-member.js";
import { Fault, faultFrom } from "./errors.js";
import { closingQuote } from "./json-text.js";

/** Levels of objects and lists allowed in a message, the message itself included. */
export const MAX_MESSAGE_DEPTH = 64;

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

/**
 * Reads the text of one message.
 * @throws Fault "invalid_json"; "invalid_message" for nesting below 64 levels, and where two names of one object are equal once they are unescaped,
 * at any depth, with the pointer of the second (R19); nothing else
 */
export function readJsonDocument(text: string): JsonDocument {
  // The scan comes first: building a value that is nested too deep takes far longer than finding out that it is (R34).
  const { nameCount, outline } = scan(text);
  const value = parsed(text);
  const count = memberCount(value);
  // The parser keeps the last of equal names, so a text without equal names has exactly as many names as its value has members.
  if (nameCount !== count) throw ambiguous(text);
  return { value, outline };
}

/** Returns the value alone; otherwise the same as `readJsonDocument`. */
export function parseJsonDocument(text: string): unknown {
  return readJsonDocument(text).value;
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

/**
 * Counts the names and records the outline in one pass. The scan skips strings; in JSON every colon outside a string follows a name. The counts
 * mean something only if the text is JSON.
 * @throws Fault "invalid_message" for nesting below 64 levels
 */
function scan(text: string): { readonly nameCount: number; readonly outline: JsonOutline } {
  const outline: number[] = [];
  // The places in the outline of the parts that the index is within.
  const within: number[] = [];
  const { length } = text;
  let nameCount = 0;
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
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > MAX_MESSAGE_DEPTH) throw tooDeep();
        if (depth <= OUTLINED_DEPTH) {
          within[depth] = outline.length;
          outline.push(index, length, nameAt);
        }
        break;
      case 0x7d:
      case 0x5d:
        if (depth <= OUTLINED_DEPTH && depth > 0) outline[(within[depth] ?? 0) + 1] = index + 1;
        depth -= 1;
        break;
    }
  }
  return { nameCount, outline };
}

/** Refuses an object or a list at that level; the message itself is level 1. @throws Fault "invalid_message" (AAEP §3.7) */
export function assertLevel(depth: number): void {
  if (depth > MAX_MESSAGE_DEPTH) throw tooDeep();
}

function tooDeep(): Fault {
  const sentence = `A message may be nested at most ${MAX_MESSAGE_DEPTH} levels deep; this one goes deeper. Make it flatter.`;
  return new Fault("invalid_message", sentence, { pointer: "", rule: "AAEP §3.7" });
}

function ambiguous(text: string): Fault {
  const { name, pointer } = doubledMember(text);
  const sentence = `Write each member once; ${quoted(name)} stands twice in one object.`;
  return new Fault("invalid_message", sentence, { pointer, rule: "R19" });
}

/** Code units of a name that a fault quotes; longer names are no deliberate ones. */
const LONGEST_QUOTED = 80;

function quoted(name: string): string {
  return JSON.stringify(name.length <= LONGEST_QUOTED ? name : `${name.slice(0, LONGEST_QUOTED)}…`);
}
