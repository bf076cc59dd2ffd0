// Cuts the agent's own text of an event from the message that carried it, so that an unchanged event goes out byte-identical (AAEP §8.2.1, R2).
import type { JsonOutline } from "../../../base/json-document.js";
import { type OutlinedPart, partAt, partNamed, partsIn } from "../../../base/json-outline.js";

/** Events that are objects, in the params of a message. */
export interface EventsInMessage {
  /** The message, and its outline. */
  readonly text: string;
  readonly outline: JsonOutline;
  readonly isArray: boolean;
  /** Whether the events are the member `events` of the params. */
  readonly isLong: boolean;
}

/** Returns the text of each event as it stands in the message. */
export function sourceText({ text, outline, isArray, isLong }: EventsInMessage): readonly string[] {
  const message = partAt(outline, 0);
  const params = message && partNamed(text, outline, message, "params");
  const published = isLong ? params && partNamed(text, outline, params, "events") : params;
  if (published === undefined) return [];
  const events = isArray ? partsIn(outline, published) : [published];
  return events.map((event) => copyOf(text, event));
}

/** Usual length of the message around a single event. */
const ENVELOPE_LENGTH = 128;

/** Copies the event's text, unless it is nearly the whole message: a slice would keep the message in memory as long as the event. */
function copyOf(text: string, { start, end }: OutlinedPart): string {
  if (text.length - (end - start) <= ENVELOPE_LENGTH) return text.slice(start, end);
  return ` ${text.slice(start, end)}`.slice(1);
}
