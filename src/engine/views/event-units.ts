// Units that a subscription makes for itself: of events made for it alone, and of state changes that collapse while they wait (R11, R17).
import { isTerminalKind, type JournaledEvent } from "../event/event.js";
import { AAEPD } from "../event/vocabulary.js";
import type { CollapsedEvent } from "./merged-events.js";
import type { SharedRendering } from "./shared-rendering.js";
import type { EventUnit, Unit } from "./unit.js";
import type { View } from "./view.js";

/** Upper bound of the events that a unit declares lost (R27); undefined if the unit is no gap. */
export function gapOf(unit: Unit): number | undefined {
  if (unit.kind !== "event") return undefined;
  const gap = unit.entry.event.extensions?.[AAEPD]?.gap;
  if (typeof gap !== "object" || gap === null) return undefined;
  return "events" in gap && typeof gap.events === "number" ? gap.events : 0;
}

export function unitOf(rendering: SharedRendering, view: View, role: EventUnit["role"]): EventUnit {
  const { entry } = rendering;
  return {
    kind: "event",
    session: entry.event.session_id,
    agent: entry.event.producer.agent_id,
    at: entry.at,
    firstEpoch: entry.epoch,
    epoch: entry.epoch,
    role,
    terminal: isTerminalKind(entry.kind),
    entry,
    delivery: rendering.deliveryIn(view.terms.shape),
  };
}

export function collapse(
  first: EventUnit,
  last: EventUnit,
  make: CollapsedEvent,
  renderingOf: (entry: JournaledEvent) => SharedRendering,
): EventUnit {
  const event = make(first.delivery.event, last.delivery.event, { first: first.firstEpoch, last: last.epoch });
  const entry: JournaledEvent = { ...last.entry, event, source: undefined };
  const loud = first.role === "state" || last.role === "state";
  return {
    ...last,
    firstEpoch: first.firstEpoch,
    role: loud ? "state" : "background-state",
    entry,
    delivery: renderingOf(entry).deliveryIn({ key: "as it is", apply: (shaped) => shaped }),
  };
}
