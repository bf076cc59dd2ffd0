// Where a subscription goes on in a view that others share: as it begins, and when it has read what it had missed (R10, R17).
import type { CatchUpPoint, TextFloor } from "../catch-up/catch-up-point.js";
import type { FurtherOutputs } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { Terms } from "../terms/terms.js";
import type { View } from "../views/view.js";

/** The part of the terms that decides how fast a subscription takes. */
export interface Pace {
  readonly limited: boolean;
  readonly paused: boolean;
  readonly paceWpm: number | undefined;
}

/** The events that a subscription was handed over of all that was published. */
export interface HandedOver {
  /** Everything up to this epoch. */
  readonly after: Epoch;
  /** The outputs of which more was handed over; `before`: named when it came back, and not met since. */
  readonly further: FurtherOutputs;
}

export function paceOf(terms: Terms): Pace {
  return { limited: terms.maxEventsPerSecond !== undefined, paused: terms.paused, paceWpm: terms.paceWpm };
}

/** The point of a subscription to which nothing is owed that was published up to an epoch. */
export function pointAfter(epoch: Epoch): CatchUpPoint {
  return { after: epoch, deliveredTo: epoch, textTo: epoch, positions: new Map() };
}

/** Where a newcomer begins whose view is behind: with the text that the view holds or has still to take, and with events after the newest (R10). */
export function newcomersPoint(view: View, head: Epoch): CatchUpPoint {
  const positions = new Map<string, number>();
  let after = view.epoch();
  for (const held of view.texts.held()) {
    positions.set(held.output, held.position);
    after = Math.min(after, held.firstEpoch - 1);
  }
  return { after, deliveredTo: head, textTo: view.epoch(), positions };
}

/**
 * Whether a subscription's own view may be given up for the one that it shares: not in the middle of an event, of which the shared one has still to
 * give what the own one has given. Where completion alone releases, text that began under other terms stays with the view that holds it from there
 * until its output is complete (R10).
 */
export function mayJoin(own: View, shared: View): boolean {
  if (shared.isTaking()) return false;
  if (own.terms.level !== undefined || own.terms.passThrough) return true;
  const sharedFrom = new Map(shared.texts.held().map(({ output, position }) => [output, position]));
  return own.texts.held().every(({ output, position }) => (sharedFrom.get(output) ?? Infinity) <= position);
}

/** Where a subscription's own view and the one that it shares hold different text at the same epoch, the difference is settled here. */
export function settleHeldText(
  own: View,
  shared: View,
  trim: (output: string, floor: TextFloor) => void,
  at: number,
): void {
  const sharedHeld = new Map(shared.texts.held().map((held) => [held.output, held]));
  for (const held of own.texts.held()) {
    const position = sharedHeld.get(held.output)?.position;
    if (position === undefined || position > held.position)
      own.texts.release(held.output, position ?? held.endPosition, at);
    else if (position < held.position)
      trim(held.output, { position: held.position, epoch: held.firstEpoch, deliveredEpoch: held.deliveredEpoch });
    sharedHeld.delete(held.output);
  }
  // The private view holds nothing of these outputs, so all of their text has been given.
  for (const { output, endPosition, lastEpoch } of sharedHeld.values())
    trim(output, { position: endPosition, epoch: shared.epoch() + 1, deliveredEpoch: lastEpoch });
}
