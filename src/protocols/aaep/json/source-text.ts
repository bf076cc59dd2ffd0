// The agent's own text of an event, cut from the message that it came in, so that an unchanged event goes out byte-identical (AAEP §8.2.1, R2).
import type { JsonOutline } from "../../../base/json-document.js";
import { type OutlinedPart, partAt, partNamed, partsIn } from "../../../base/json-outline.js";

/** Of events that are objects, in a message whose params they are. */
export interface EventsInMessage {
  /** The message, and its outline. */
  readonly text: string;
  readonly outline: JsonOutline;
  readonly isArray: boolean;
  /** Whether they are what stands as `events` in the params. */
  readonly isLong: boolean;
}

/** The text of each event, as it stands in the message. */
export function sourceText({ text, outline, isArray, isLong }: EventsInMessage): readonly string[] {
  const message = partAt(outline, 0);
  const params = message && partNamed(text, outline, message, "params");
  const published = isLong ? params && partNamed(text, outline, params, "events") : params;
  if (published === undefined) return [];
  const events = isArray ? partsIn(outline, published) : [published];
  return events.map((event) => copyOf(text, event));
}

/** What stands around a single event, as a rule. */
const ENVELOPE_LENGTH = 128;

/** A text of its own, unless it is nearly the whole message: a slice keeps that in memory as long as the event is kept. */
function copyOf(text: string, { start, end }: OutlinedPart): string {
  if (text.length - (end - start) <= ENVELOPE_LENGTH) return text.slice(start, end);
  return ` ${text.slice(start, end)}`.slice(1);
}
