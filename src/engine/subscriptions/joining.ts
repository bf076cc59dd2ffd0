// The points at which a subscription enters a shared view: at its start, and after it has read the journal (R10, R17).
import type { CatchUpPoint, TextFloor } from "../catch-up/catch-up-point.js";
import type { FurtherOutputs } from "../event/cursor.js";
import type { Epoch } from "../event/event.js";
import type { Terms } from "../terms/terms.js";
import type { View } from "../views/view.js";

/** The terms that decide how fast a subscription takes units. */
export interface Pace {
  readonly limited: boolean;
  readonly paused: boolean;
  readonly paceWpm: number | undefined;
}

/** The place up to which a subscription was handed the published events. */
export interface HandedOver {
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Outputs of which more was handed over. `before` has the outputs that its cursor named and that have not appeared since. */
  readonly further: FurtherOutputs;
}

export function paceOf(terms: Terms): Pace {
  return { limited: terms.maxEventsPerSecond !== undefined, paused: terms.paused, paceWpm: terms.paceWpm };
}

/** The point of a subscription for which nothing up to an epoch is pending. */
export function pointAfter(epoch: Epoch): CatchUpPoint {
  return { after: epoch, deliveredTo: epoch, textTo: epoch, positions: new Map() };
}

/**
 * The start of a new subscription in a view that is behind the journal: text that the view holds or will take, and events after the journal's newest
 * (R10).
 */
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
 * Whether a subscription may leave its private view for the shared one. Not while the shared view is in the middle of an event, since the private
 * view has delivered all of it. If only completion releases text, an output that began under other terms stays with the private view until it is
 * complete (R10).
 */
export function mayJoin(own: View, shared: View): boolean {
  if (shared.isTaking()) return false;
  if (own.terms.level !== undefined || own.terms.passThrough) return true;
  const sharedFrom = new Map(shared.texts.held().map(({ output, position }) => [output, position]));
  return own.texts.held().every(({ output, position }) => (sharedFrom.get(output) ?? Infinity) <= position);
}

/** Settles the differences between the texts that the private and the shared view hold at the same epoch. */
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
  // The private view holds nothing of these outputs, so all of their text was delivered.
  for (const { output, endPosition, lastEpoch } of sharedHeld.values())
    trim(output, { position: endPosition, epoch: shared.epoch() + 1, deliveredEpoch: lastEpoch });
}
