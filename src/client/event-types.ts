// The event types that the clients look for, in both spellings of a type.
import type { Envelope } from "#gen/aaep/types.js";
import type { ReceivedEvent } from "./events.js";

export const STARTED = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.started$/;
export const TERMINAL =
  /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.(?:completed|errored|cancelled)$/;
export const STREAMING = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.output\.streaming$/;
export const QUESTION =
  /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.awaiting\.(?:confirmation|clarification)$/;

const CRITICAL =
  /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.(?:awaiting\.(?:confirmation|clarification)|handoff\.requested|session\.errored)$/;

/** Whether an event interrupts others: by its urgency, without one by its type (R4). */
export function isCritical({ urgency, type }: Pick<Envelope, "urgency" | "type">): boolean {
  return urgency === undefined ? CRITICAL.test(type) : urgency === "critical";
}

const PREFIX = "aaep:agent.";
const LONG_PREFIX = "https://aaep-protocol.org/types/agent.";

/** The same event with the short spelling of its type, so that a listener needs to know one spelling (AAEP §3.2.2). */
export function withShortType(event: Envelope): ReceivedEvent {
  if (!event.type.startsWith(LONG_PREFIX)) return event;
  return { ...event, type: `${PREFIX}${event.type.slice(LONG_PREFIX.length)}` };
}
