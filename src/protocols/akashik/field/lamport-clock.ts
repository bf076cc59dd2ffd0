// The Field's Lamport clock (Akashik companion). No peer moves it by more than one step of 2³², and it moves nothing beside the Field.

/** How far a received epoch may be ahead. */
export const FURTHEST_AHEAD = 2 ** 32;
/** The largest epoch that moves the clock. The Field's own events have the rest of the safe integers. */
export const LARGEST_RECEIVED = 2 ** 52;
/** Epochs that are reserved at a time. */
const RESERVED = 1024;

/**
 * `reserve` keeps an epoch that is ahead of the clock, from which the next boot starts. An epoch that was sent before a kill is therefore never given
 * again, also where nothing waited for the disk: an agent that polls since it misses nothing.
 */
export class LamportClock {
  private local: number;
  private reserved: number;
  private readonly reserve: (end: number) => void;

  constructor(start: number, reserve: (end: number) => void) {
    this.local = start;
    this.reserved = start;
    this.reserve = reserve;
  }

  now(): number {
    return this.local;
  }

  /** Takes the epoch of a message: local = max(local, received) + 1. Returns false for an epoch that the clock refuses, and then stands still. */
  receive(epoch: number): boolean {
    if (!Number.isSafeInteger(epoch) || epoch < 0) return false;
    if (epoch > this.local && epoch > Math.min(this.local + FURTHEST_AHEAD, LARGEST_RECEIVED)) return false;
    this.local = Math.max(this.local, epoch);
    this.tick();
    return true;
  }

  /** The epoch of the next event of the Field's own. */
  tick(): number {
    this.local += 1;
    if (this.local + RESERVED > this.reserved) {
      this.reserved = this.local + 2 * RESERVED;
      this.reserve(this.reserved);
    }
    return this.local;
  }
}
