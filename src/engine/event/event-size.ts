// How much memory an event that is kept takes: counted once, when it is put away, so that bounds in bytes hold (R29).
import type { NewEvent } from "./event.js";

/** What an entry costs beside its text: objects, indices, the cached encoding's header. */
const ENTRY_OVERHEAD_BYTES = 600;

/** The bytes that keeping an event costs, by estimate: its text where that is known, else close to it, and what stands around it. */
export function eventSize(entry: Pick<NewEvent, "event" | "source">): number {
  const { source } = entry;
  return ENTRY_OVERHEAD_BYTES + (source === undefined ? membersSize(entry.event, 0) : textSize(source));
}

/** Close to the bytes of a value's JSON; more rather than less. */
export function jsonSize(value: unknown): number {
  return valueSize(value, 0);
}

/** Below this depth the JSON is written out and measured. */
const DEEPEST_ESTIMATE = 8;
/** Of what stands around each value; one that is neither text nor made of others takes as much again. */
const SCALAR_BYTES = 8;
const NOT_ASCII = /[^\0-\x7f]/;

/** Close to the bytes of the JSON; more rather than less. */
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

function textSize(text: string): number {
  return NOT_ASCII.test(text) ? text.length * 3 : text.length;
}
