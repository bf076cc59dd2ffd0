// A state change that stood for several, made again out of the journal (R11, R12, R28).
import type { IdServices } from "../event/derived-id.js";
import type { AgentEvent, JournaledEvent } from "../event/event.js";
import { createLiveEntry } from "../views/live-entry.js";
import { collapsedStateEvent } from "../views/merged-events.js";
import { roleOf } from "../views/view.js";
import type { ViewTerms } from "../views/view-spec.js";
import type { NamedEvent } from "./given-text.js";

/** Most state changes of which one is made again: how often one was collapsed before it left is not told by its id. */
const COLLAPSED_COUNT = 32;

/** The collapsed state change with this id, under the terms it left by; undefined where there is none, or where it stood for more than 32. */
export function givenState(
  eventId: string,
  named: NamedEvent,
  terms: ViewTerms,
  idServices: IdServices,
): AgentEvent | undefined {
  const newestFirst = statesUpTo(named, terms);
  for (let count = 2; count <= newestFirst.length; count += 1) {
    const [first, ...others] = newestFirst.slice(0, count).reverse();
    let collapsed = first?.event;
    for (const { event, epoch } of others)
      if (collapsed !== undefined) collapsed = collapsedStateEvent(collapsed, event, epoch, idServices);
    if (collapsed?.event_id === eventId) return collapsed;
  }
  return undefined;
}

/** The agent's state changes that could collapse, in these terms' shape, from the one that the id names backwards. */
function statesUpTo(
  { last, newestFirst }: NamedEvent,
  terms: ViewTerms,
): readonly Pick<JournaledEvent, "event" | "epoch">[] {
  if (last.kind !== "state.changed") return [];
  const states: Pick<JournaledEvent, "event" | "epoch">[] = [];
  for (const entry of newestFirst) {
    if (entry.event.producer.agent_id !== last.event.producer.agent_id) continue;
    const live = createLiveEntry(entry);
    const role = roleOf(live);
    if (role !== "state" && role !== "background-state") break;
    if (!terms.wants(live)) continue;
    states.push({ event: terms.shape.apply(entry.event), epoch: entry.epoch });
    if (states.length === COLLAPSED_COUNT) break;
  }
  return states;
}
