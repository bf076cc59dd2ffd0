// Looks up the events of a session shortly before one of its critical events, once for all subscriptions that have not read that far (R4).
import type { Journal } from "../../contracts/journal.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { SharedRendering } from "../views/shared-rendering.js";

/** Most epochs looked at, and most events of the session found. */
const LOOKED_BACK_COUNT = 256;
const FOUND_COUNT = 64;

/** Returns the events of the session shortly before a critical event, the oldest first. The last result is remembered. */
export type LookingBack = (critical: JournaledEvent) => readonly SharedRendering[];

export function createLookingBack(
  journal: Pick<Journal, "at">,
  renderingOf: (entry: JournaledEvent) => SharedRendering,
): LookingBack {
  let last: { readonly of: Epoch; readonly found: readonly SharedRendering[] } | undefined;
  return ({ epoch: of, event }) => {
    if (last?.of === of) return last.found;
    const found: SharedRendering[] = [];
    const only = { sessionId: event.session_id };
    for (let epoch = of - 1; epoch >= of - LOOKED_BACK_COUNT && found.length < FOUND_COUNT; epoch -= 1) {
      const entry = journal.at(epoch, only);
      if (entry !== undefined) found.push(renderingOf(entry));
    }
    last = { of, found: found.reverse() };
    return found;
  };
}
