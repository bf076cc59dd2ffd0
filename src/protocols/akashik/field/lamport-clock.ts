// The Field's Lamport clock (Akashik companion). No peer moves it by more than one step of 2³², and it moves nothing beside the Field.
import type { FieldEpoch } from "./field-types.js";

/** How far a received epoch may be ahead. */
export const FURTHEST_AHEAD = 2 ** 32;

export interface LamportClock {
  readonly now: () => FieldEpoch;
  /** Takes the epoch of a message: local = max(local, received) + 1. Returns false for an epoch that the clock refuses, and then stands still. */
  readonly receive: (epoch: number) => boolean;
  /** The epoch of the next event of the Field's own. */
  readonly tick: () => FieldEpoch;
}

export function createLamportClock(start: FieldEpoch, changed: () => void): LamportClock {
  let local = start;
  const moveTo = (epoch: FieldEpoch): FieldEpoch => {
    local = epoch;
    changed();
    return local;
  };
  return {
    now: () => local,
    receive: (epoch) => {
      if (!Number.isSafeInteger(epoch) || epoch < 0 || epoch > local + FURTHEST_AHEAD) return false;
      moveTo(Math.max(local, epoch) + 1);
      return true;
    },
    tick: () => moveTo(local + 1),
  };
}
