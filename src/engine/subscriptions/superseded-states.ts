// States that a critical event superseded before one subscription got them. Its agent's next state begins where the first of them began, or with the
// state that the event implies, so that the chain of states has no break (AAEP §4.2.1, R4).
import { keepNewest } from "../../base/keep-newest.js";
import { laneOf } from "../catch-up/superseded.js";
import { AWAITING_INPUT, stateImpliedBy } from "../event/agent-states.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import { type EventUnit, isLocal } from "../views/unit.js";
import type { View } from "../views/view.js";

export interface SupersededStates {
  /** Remembers a state that is not delivered, until its agent's next one. Beyond 1,000 agents, the oldest is forgotten. */
  readonly add: (unit: EventUnit, critical: EventUnit) => void;
  /**
   * The form in which a unit is delivered; undefined for a state change that would end where it begins. The remembered states of its agent are
   * forgotten.
   */
  readonly told: (unit: EventUnit, remade: View["remade"]) => EventUnit | undefined;
  readonly forget: () => void;
  /** Number of agents with a remembered state. */
  readonly count: () => number;
}

const AGENTS_LIMIT = 1000;

export function createSupersededStates(collapsed: CollapsedEvent): SupersededStates {
  const byLane = new Map<string, { readonly event: AgentEvent; readonly first: Epoch; readonly from: unknown }>();

  /** `from` is the agent's state as the listener knows it. */
  const keep = (lane: string, event: AgentEvent, first: Epoch, from: unknown): void => {
    byLane.delete(lane);
    // The listener knows the agent in this state already, so the next state needs no change.
    if (event.to_state === from) return;
    byLane.set(lane, { event, first, from });
    keepNewest(byLane, AGENTS_LIMIT);
  };

  return {
    add: (unit, critical) => {
      if (unit.entry.kind !== "state.changed" || critical.terminal) return;
      const lane = laneOf(unit);
      const { event } = unit.delivery;
      const known = byLane.get(lane);
      const first = known?.first ?? unit.firstEpoch;
      const whole = known === undefined ? event : collapsed(known.event, event, { first, last: unit.epoch });
      keep(lane, whole, first, stateImpliedBy(critical.entry.kind) ?? known?.from ?? event.from_state);
    },
    told: (unit, remade) => {
      if (byLane.size === 0) return unit;
      if (unit.terminal) {
        for (const lane of byLane.keys()) if (lane.startsWith(`${unit.session} `)) byLane.delete(lane);
        return unit;
      }
      if (unit.entry.kind !== "state.changed") return unit;
      const lane = laneOf(unit);
      const known = byLane.get(lane);
      const { event } = unit.delivery;
      // A supplied state reports only that the agent waits. The agent may continue from its own last state, which the listener does not know.
      const isTold = unit.entry.made === "notice" || unit.entry.made === "supplied";
      if (!isTold) byLane.delete(lane);
      else if (event.from_state === AWAITING_INPUT) return unit;
      // The agent's next state continues from the resolution's.
      if (unit.entry.made === "resolution" && known !== undefined) keep(lane, known.event, known.first, event.to_state);
      // A resolution is never rewritten. A summary has the state of all agents.
      if (known === undefined || known.from === event.from_state || unit.entry.made === "resolution" || isLocal(unit))
        return unit;
      const isOrdinary = unit.role === "state" || unit.role === "background-state";
      if (isOrdinary && known.from === event.to_state) return undefined;
      return remade(unit, `${String(known.from)} ${known.event.event_id}`, (last) =>
        collapsed(known.event, last, { first: known.first, last: unit.epoch }, known.from),
      );
    },
    forget: () => byLane.clear(),
    count: () => byLane.size,
  };
}
