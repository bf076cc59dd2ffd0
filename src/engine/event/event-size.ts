// Sizes of events, by which limits hold: the memory of a stored event, estimated once, when it is stored (R29), and the text of a publish (R34).
import type { NewEvent } from "./event.js";

/** Bytes of an entry beside its text: objects, indices, the cached encoding's header. */
const ENTRY_OVERHEAD_BYTES = 600;

/** Estimates the bytes of a stored event: its text and the overhead. */
export function eventSize({ event, source }: Pick<NewEvent, "event" | "source">): number {
  return ENTRY_OVERHEAD_BYTES + textSize(source ?? JSON.stringify(event));
}

const NOT_ASCII = /[^\0-\x7f]/;

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
