// A state change that stood for several, made again out of the journal (R11, R12, R28).
import type { Journal } from "../contracts/journal.js";
import type { DerivedId, IdServices } from "./derived-id.js";
import type { AgentEvent, JournaledEvent } from "./event.js";
import { SCANNED_EVENT_COUNT } from "./given-text.js";
import { createLiveEntry } from "./live-entry.js";
import { collapsedStateEvent } from "./merged-events.js";
import { roleOf, type ViewTerms } from "./view.js";

/** Most state changes of which one is made again: how often one was collapsed before it left is not told by its id. */
const COLLAPSED_COUNT = 32;

/** The collapsed state change with this id, under the terms it left by; undefined where there is none, or where it stood for more than 32. */
export function givenState(
  eventId: string,
  id: DerivedId,
  terms: ViewTerms,
  services: { readonly journal: Pick<Journal, "at" | "oldest">; readonly idServices: IdServices },
): AgentEvent | undefined {
  const newestFirst = statesUpTo(id, terms, services.journal);
  for (let count = 2; count <= newestFirst.length; count += 1) {
    const [first, ...others] = newestFirst.slice(0, count).reverse();
    let collapsed = first?.event;
    for (const { event, epoch } of others)
      if (collapsed !== undefined) collapsed = collapsedStateEvent(collapsed, event, epoch, services.idServices);
    if (collapsed?.event_id === eventId) return collapsed;
  }
  return undefined;
}

/** The agent's state changes that could collapse, in these terms' shape, from the one that the id names backwards. */
function statesUpTo(
  { epoch: last }: DerivedId,
  terms: ViewTerms,
  journal: Pick<Journal, "at" | "oldest">,
): readonly Pick<JournaledEvent, "event" | "epoch">[] {
  const named = journal.at(last);
  if (named?.kind !== "state.changed") return [];
  const { session_id: session, producer } = named.event;
  const states: Pick<JournaledEvent, "event" | "epoch">[] = [];
  const lowest = Math.max(journal.oldest(), last - SCANNED_EVENT_COUNT);
  for (let epoch = last; epoch >= lowest && states.length < COLLAPSED_COUNT; epoch -= 1) {
    const entry = journal.at(epoch, session);
    if (entry?.kind !== "state.changed" || entry.event.producer.agent_id !== producer.agent_id) continue;
    const live = createLiveEntry(entry);
    const role = roleOf(live);
    if (role !== "state" && role !== "background-state") break;
    if (terms.wants(live)) states.push({ event: terms.shape.apply(entry.event), epoch });
  }
  return states;
}
