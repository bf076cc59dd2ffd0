// Attributes a fault to one of several events that were published together.
import { type Fault, faultFrom } from "../../base/errors.js";
import type { PublishedEvent } from "./same-publish.js";

/** Returns the fault with the event's id, and with the event's place in the array in front of its pointer. */
export function faultAt(caught: unknown, input: PublishedEvent, place: string): Fault {
  const fault = faultFrom(caught);
  const id = input.fields.event_id;
  const eventId = fault.eventId ?? (typeof id === "string" ? id : undefined);
  return fault.with({ pointer: `${place}${fault.pointer ?? ""}`, eventId });
}
