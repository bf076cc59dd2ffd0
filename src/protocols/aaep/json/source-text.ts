// Cuts the agent's own text of an event from the message that carried it, so that an unchanged event goes out byte-identical (AAEP §8.2.1, R2).
import type { JsonOutline } from "../../../base/json-document.js";
import { type OutlinedPart, partAt, partNamed, partsIn } from "../../../base/json-outline.js";

/** A message of JSON-RPC that carried events. */
export interface EventsMessage {
  readonly text: string;
  readonly outline: JsonOutline;
  /** Whether the events are the member `events` of the params, and not the params themselves. */
  readonly isLong: boolean;
}

/** Returns the text of each event, which is an object, as it stands in the message. `isArray`: the events stand in a list. */
export function sourceTexts({ text, outline, isLong }: EventsMessage, isArray: boolean): readonly string[] {
  const message = partAt(outline, 0);
  const params = message && partNamed(text, outline, message, "params");
  const published = isLong ? params && partNamed(text, outline, params, "events") : params;
  if (published === undefined) return [];
  return isArray ? partsIn(outline, published).map((event) => copyOf(text, event)) : [copyOf(text, published)];
}

/** Usual length of the message around a single event. */
const ENVELOPE_LENGTH = 128;

/** Copies the event's text, unless it is nearly the whole message: a slice would keep the message in memory as long as the event. */
function copyOf(text: string, { start, end }: OutlinedPart): string {
  if (text.length - (end - start) <= ENVELOPE_LENGTH) return text.slice(start, end);
  return ` ${text.slice(start, end)}`.slice(1);
}
