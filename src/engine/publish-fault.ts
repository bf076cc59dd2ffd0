// Which of the events that were published together a fault is about.
import { Fault, faultFrom } from "../base/errors.js";
import type { PublishedEvent } from "./same-publish.js";

/** The fault with the event's id and, in front of its pointer, the event's place in the array. */
export function faultAt(caught: unknown, input: PublishedEvent, place: string): Fault {
  const { code, sentence, pointer, rule, origin, eventId, retryAfterSeconds, cause } = faultFrom(caught);
  const id = input.fields.event_id;
  const readable = eventId ?? (typeof id === "string" ? id : undefined);
  return new Fault(code, sentence, {
    pointer: `${place}${pointer ?? ""}`,
    origin,
    cause,
    ...(rule === undefined ? undefined : { rule }),
    ...(readable === undefined ? undefined : { eventId: readable }),
    ...(retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }),
  });
}
