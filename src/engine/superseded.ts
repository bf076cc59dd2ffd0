// What a critical event makes old news when it goes ahead: its agent's earlier progress and states (R4).
import type { JournaledEvent } from "./event.js";
import type { LiveEntry } from "./live-entry.js";
import type { Place } from "./stream.js";
import type { EventUnit, Unit } from "./unit.js";
import { isLocal } from "./unit.js";
import { roleOf } from "./view.js";

/** Units of a session between a place and an index of its view. */
export function unitsBetween(place: Place, index: number, session: string, except?: (unit: Unit) => boolean): number {
  let count = 0;
  for (let cursor = place.cursor; cursor < index; cursor += 1) {
    const unit = place.view.log.at(cursor);
    if (unit?.session === session && except?.(unit) !== true) count += 1;
  }
  return count;
}

/** An agent within a session. */
export function laneOf({ session, agent }: EventUnit): string {
  return `${session} ${agent}`;
}

/** How a question ended is never old news. */
export function isOfKindSuperseded({ role, entry }: Pick<EventUnit, "role" | "entry">): boolean {
  if (entry.made === "resolution" || entry.made === "notice") return false;
  return role === "progress" || role === "state" || role === "background-state" || role === "gate";
}

/** The same of what no view has taken yet. */
export function isSupersededBy(waiting: LiveEntry, critical: JournaledEvent): boolean {
  return (
    waiting.entry.event.session_id === critical.event.session_id &&
    waiting.entry.event.producer.agent_id === critical.event.producer.agent_id &&
    waiting.entry.epoch < critical.epoch &&
    isOfKindSuperseded({ role: roleOf(waiting), entry: waiting.entry })
  );
}

export function isSuperseded(waiting: Unit, critical: EventUnit): boolean {
  return (
    waiting.kind === "event" &&
    waiting.session === critical.session &&
    waiting.agent === critical.agent &&
    waiting.epoch < critical.epoch &&
    !isLocal(waiting) &&
    isOfKindSuperseded(waiting)
  );
}
