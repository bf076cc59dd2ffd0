// Which of the events that were published together a fault is about.
import { type Fault, faultFrom } from "../../base/errors.js";
import type { PublishedEvent } from "./same-publish.js";

/** The fault with the event's id and, in front of its pointer, the event's place in the array. */
export function faultAt(caught: unknown, input: PublishedEvent, place: string): Fault {
  const fault = faultFrom(caught);
  const id = input.fields.event_id;
  const eventId = fault.eventId ?? (typeof id === "string" ? id : undefined);
  return fault.with({ pointer: `${place}${fault.pointer ?? ""}`, eventId });
}
