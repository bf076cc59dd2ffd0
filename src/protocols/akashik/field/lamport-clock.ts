// The Field's Lamport clock (Akashik companion). No peer moves it by more than one step of 2³², and it moves nothing beside the Field.
import type { FieldEpoch } from "./field-types.js";

/** How far a received epoch may be ahead. */
export const FURTHEST_AHEAD = 2 ** 32;
/** The largest epoch that moves the clock. The Field's own events have the rest of the safe integers. */
export const LARGEST_RECEIVED = 2 ** 52;
/** Epochs that are reserved at a time. */
const RESERVED = 1024;

export interface LamportClock {
  readonly now: () => FieldEpoch;
  /** Takes the epoch of a message: local = max(local, received) + 1. Returns false for an epoch that the clock refuses, and then stands still. */
  readonly receive: (epoch: number) => boolean;
  /** The epoch of the next event of the Field's own. */
  readonly tick: () => FieldEpoch;
}

/**
 * `reserve` keeps an epoch that is ahead of the clock, from which the next boot starts. An epoch that was sent before a kill is therefore never given
 * again, also where nothing waited for the disk: an agent that polls since it misses nothing.
 */
export function createLamportClock(start: FieldEpoch, reserve: (end: FieldEpoch) => void): LamportClock {
  let local = start;
  let reserved = start;
  const moveTo = (epoch: FieldEpoch): FieldEpoch => {
    local = epoch;
    if (local + RESERVED > reserved) {
      reserved = local + 2 * RESERVED;
      reserve(reserved);
    }
    return local;
  };
  return {
    now: () => local,
    receive: (epoch) => {
      if (!Number.isSafeInteger(epoch) || epoch < 0) return false;
      if (epoch > local && epoch > Math.min(local + FURTHEST_AHEAD, LARGEST_RECEIVED)) return false;
      moveTo(Math.max(local, epoch) + 1);
      return true;
    },
    tick: () => moveTo(local + 1),
  };
}
