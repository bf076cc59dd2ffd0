// Sizes of events, by which limits hold: the memory of a stored event, estimated once, when it is stored (R29), and the text of a publish (R34).
import type { NewEvent } from "./event.js";

/** Bytes of an entry beside its text: objects, indices, the cached encoding's header. */
const ENTRY_OVERHEAD_BYTES = 600;

/** Estimates the bytes of a stored event: its text if that is known, else its members, and the overhead. */
export function eventSize({ event, source }: Pick<NewEvent, "event" | "source">): number {
  return ENTRY_OVERHEAD_BYTES + (source === undefined ? membersSize(event, 0) : textSize(source));
}

/** Values below this depth are measured by writing their JSON. */
const DEEPEST_ESTIMATE = 8;
/** Bytes around each value; a number, boolean or null takes as much again. */
const SCALAR_BYTES = 8;
const NOT_ASCII = /[^\0-\x7f]/;

/** Estimates the bytes of the members' JSON, rather too high than too low, at a fifth of the cost of writing it: every view asks for each event. */
function membersSize(members: object, depth: number): number {
  let size = 0;
  for (const name in members) {
    size += name.length + valueSize((members as Readonly<Record<string, unknown>>)[name], depth);
  }
  return size;
}

function valueSize(value: unknown, depth: number): number {
  if (typeof value === "string") return SCALAR_BYTES + textSize(value);
  if (typeof value !== "object" || value === null) return SCALAR_BYTES * 2;
  if (depth >= DEEPEST_ESTIMATE) return textSize(JSON.stringify(value));
  if (!Array.isArray(value)) return SCALAR_BYTES + membersSize(value, depth + 1);
  let size = SCALAR_BYTES;
  for (const element of value) size += valueSize(element, depth + 1);
  return size;
}

/** Estimates the bytes of a text in UTF-8, rather too high than too low. */
export function textSize(text: string): number {
  return NOT_ASCII.test(text) ? text.length * 3 : text.length;
}

/** Longest text that is searched for boundaries within one turn, in UTF-16 units (R34). */
const MOST_TEXT_IN_A_TURN = 4096;

/** Whether the events have more text than one turn searches. */
export function hasLongText(events: readonly { readonly fields: Readonly<Record<string, unknown>> }[]): boolean {
  let units = 0;
  for (const { fields } of events) if (typeof fields.chunk === "string") units += fields.chunk.length;
  return units > MOST_TEXT_IN_A_TURN;
}
