// Attributes a fault to one of several events that were published together.
import { type Fault, faultFrom } from "../../base/errors.js";
import { isObject, ownMembersOf } from "../event/own-members.js";
import { AAEPD } from "../event/vocabulary.js";
import type { PublishedEvent } from "./same-publish.js";

/** Returns the fault with the event's id, and with the event's place in the array in front of its pointer. */
export function faultAt(caught: unknown, input: PublishedEvent, place: string): Fault {
  const fault = faultFrom(caught);
  const id = input.fields.event_id;
  const eventId = fault.eventId ?? (typeof id === "string" ? id : undefined);
  return fault.with({ pointer: `${place}${asSent(fault.pointer ?? "", input)}`, eventId });
}

/** The member that the agent has sent: a host's own id in place of the `tool_call_id` that the daemon made of it (R5c). */
function asSent(pointer: string, { fields }: PublishedEvent): string {
  const isMade = pointer.endsWith("/tool_call_id") && ownMembersOf(fields)?.call_id !== undefined;
  if (!isMade) return pointer;
  const path = pointer.split("/").slice(1);
  const given = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), fields);
  return given === undefined ? `/extensions/${AAEPD}/call_id` : pointer;
}
