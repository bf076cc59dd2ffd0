// The units that become outdated when a critical event goes ahead: earlier progress and states of its agent (R4).
import type { AgentEvent, JournaledEvent } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import { gapOf } from "../views/event-units.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import { type EventUnit, isCritical, isLocal, type Unit } from "../views/unit.js";
import { roleOf, type ViewCursor } from "../views/view.js";

/**
 * The units that a critical event overtakes, between a cursor and an index of its view. Critical events are excluded, since they go ahead as well.
 */
export function overtakenUnits(
  { view, cursor }: ViewCursor,
  index: number,
  { event, epoch }: JournaledEvent,
): readonly Unit[] {
  const units: Unit[] = [];
  for (let place = cursor; place < index; place += 1) {
    const unit = view.log.at(place);
    if (unit?.session === event.session_id && unit.epoch < epoch && !isCritical(unit)) units.push(unit);
  }
  return units;
}

/** The key of an agent within a session. */
export function laneOf({ session, agent }: EventUnit): string {
  return `${session} ${agent}`;
}

/** Whether a waiting notice reports a question whose resolution goes ahead; the resolution replaces it (R17). */
function isOutdatedNotice({ entry: waiting }: EventUnit, { made, event }: JournaledEvent): boolean {
  const question = waiting.made === "notice" && made === "resolution" ? questionOf(waiting.event) : undefined;
  return question !== undefined && question === questionOf(event);
}

/** The id of the question that one of the daemon's events refers to. */
export function questionOf(event: AgentEvent): unknown {
  return event.extensions?.[AAEPD]?.question;
}

/** Whether units of this kind can be superseded. The resolution of a question cannot, nor its notice. */
export function isOfKindSuperseded({ role, entry }: Pick<EventUnit, "role" | "entry">): boolean {
  if (entry.made === "resolution" || entry.made === "notice") return false;
  return role === "progress" || role === "state" || role === "background-state" || role === "gate";
}

/** The same for an event that no view has taken yet. */
export function isSupersededBy(waiting: SharedRendering, critical: JournaledEvent): boolean {
  return (
    waiting.entry.event.session_id === critical.event.session_id &&
    waiting.entry.event.producer.agent_id === critical.event.producer.agent_id &&
    waiting.entry.epoch < critical.epoch &&
    isOfKindSuperseded({ role: roleOf(waiting), entry: waiting.entry })
  );
}

/** Whether a waiting summary describes a session whose end goes ahead. A summary that declares a loss is still delivered (R17, R27). */
function isOutdatedSummary(waiting: EventUnit, { terminal }: EventUnit): boolean {
  const isSummary = waiting.entry.event.extensions?.[AAEPD]?.summary === true;
  return terminal && isSummary && gapOf(waiting) === undefined;
}

export function isSuperseded(waiting: Unit, critical: EventUnit): waiting is EventUnit {
  if (waiting.kind !== "event" || waiting.session !== critical.session) return false;
  if (isLocal(waiting)) return isOutdatedSummary(waiting, critical);
  return (
    waiting.agent === critical.agent &&
    waiting.epoch < critical.epoch &&
    (isOfKindSuperseded(waiting) || isOutdatedNotice(waiting, critical.entry))
  );
}
