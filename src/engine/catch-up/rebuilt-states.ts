// Rebuilds a collapsed state change from the journal (R11, R12, R28).
import { AWAITING_INPUT } from "../event/agent-states.js";
import type { IdServices } from "../event/derived-id.js";
import type { AgentEvent, JournaledEvent } from "../event/event.js";
import { collapsedStateEvent, collapsedStateId } from "../views/merged-events.js";
import { createSharedRendering } from "../views/shared-rendering.js";
import { roleOf } from "../views/view.js";
import type { ViewTerms } from "../views/view-spec.js";
import type { NamedEvent } from "./rebuilt-text.js";

/** States at which the collapsed change can begin: that of its first event, or one that a critical event in between implies (R4). */
const BEGINNINGS = [undefined, "calling_tool", AWAITING_INPUT, "handing_off"] as const;

/**
 * Rebuilds the collapsed state change with this id, under the terms by which it left. Undefined if there is none, or if the journal no longer has its
 * first event.
 */
export function rebuildState(
  eventId: string,
  { epoch, start, last, newestFirst }: NamedEvent,
  terms: ViewTerms,
  ids: IdServices,
): AgentEvent | undefined {
  const { apply, key: shape } = terms.shape;
  if (start === 0 || last.kind !== "state.changed") return undefined;
  // An invented id costs four hashes.
  for (const from of BEGINNINGS) {
    const place = { first: epoch - start, last: epoch, shape, from };
    if (collapsedStateId(last.event, place, ids) !== eventId) continue;
    const first = from !== undefined || isState(last) ? entryAt(place.first, newestFirst) : undefined;
    if (first === undefined || !isState(first)) return undefined;
    return collapsedStateEvent(apply(first.event), apply(last.event), place, ids);
  }
  return undefined;
}

function entryAt(epoch: number, newestFirst: Iterable<JournaledEvent>): JournaledEvent | undefined {
  for (const entry of newestFirst) {
    if (entry.epoch === epoch) return entry;
    if (entry.epoch < epoch) return undefined;
  }
  return undefined;
}

function isState(entry: JournaledEvent): boolean {
  const role = roleOf(createSharedRendering(entry));
  return entry.kind === "state.changed" && (role === "state" || role === "background-state");
}
