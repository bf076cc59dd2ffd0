// How a subscription that names a place goes on (R17): with the journal's events after it, or with what is open now.
import type { Journal } from "../../contracts/journal.js";
import { readCursor } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { EpochBoots } from "../journal/epoch-boots.js";
import type { Loss } from "../notices/notice-factory.js";

/**
 * The daemon's answer to a cursor. "all": the journal's events after it follow. "gap": events after it have aged out, or what was given up to it was
 * never kept. "unknown": the cursor belongs to another journal, or is none. Where it is not "all", the loss is declared and each open session is
 * summed up.
 */
export type Resumed = "all" | "gap" | "unknown";

export interface SubscriptionStart {
  /** Undefined for a new subscription. */
  readonly resumed: Resumed | undefined;
  /** The place that was named, as far as it is one. */
  readonly named: { readonly cursor: string; readonly after: Epoch } | undefined;
  /** The journal is read from behind this epoch; undefined if the subscription begins at the head. */
  readonly readAfter: Epoch | undefined;
  readonly loss: Loss | undefined;
}

/** `cursor` is the place that the subscription named; undefined for a new subscription. */
export function startAt(cursor: string | undefined, journal: Journal, boots: EpochBoots): SubscriptionStart {
  if (cursor === undefined) return { resumed: undefined, named: undefined, readAfter: undefined, loss: undefined };
  const place = readCursor(cursor);
  const head = journal.head();
  if (place === undefined || place.journalId !== journal.id || place.after > head)
    return {
      resumed: "unknown",
      named: undefined,
      readAfter: undefined,
      loss: { reason: "unknown_place", eventCount: undefined },
    };
  const { after } = place;
  const named = { cursor, after };
  const loss: Loss = { reason: "resumed_too_late", eventCount: boots.count(after, head) || undefined };
  if (boots.next(after) < journal.oldest() && after < head)
    return { resumed: "gap", named, readAfter: undefined, loss };
  if (boots.isVoid(after)) return { resumed: "gap", named, readAfter: after, loss };
  return { resumed: "all", named, readAfter: after, loss: undefined };
}
