// Turns of the readers of the journal. Missed events are read in batches, one after another over the turns of the event loop, so that many returning
// subscriptions, or one with a long backlog, hold up no other (R34).
import type { Clock, Millis } from "../../contracts/clock.js";

/** Events of a batch. Once so many events were read in a turn of the event loop, only a reader that was invited may begin another batch in it. */
export const BATCH_COUNT = 256;

/** Longest time that reading takes of a turn, in ms. */
const TURN_ROOM_MS: Millis = 2;

export interface Reader {
  /** It may read again. */
  readonly wake: () => void;
  /** It may read, however late it comes. `ReadTurns` alone writes this. */
  isInvited: boolean;
}

/** The turns of all readers of a journal, which share the turns of the event loop. */
export class ReadTurns {
  private readonly clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">;
  private readonly mostMs: Millis;
  private readonly waiting = new Set<Reader>();
  private isArmed = false;
  // The turn of the last reading, the events read in it, and the time that they took.
  private turn = -1;
  private readCount = 0;
  private spent = 0;
  private from: Millis = 0;

  /** `mostMs`: time that reading takes of a turn. Default 2; 0: one piece of reading a turn. */
  constructor(clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">, mostMs: Millis = TURN_ROOM_MS) {
    this.clock = clock;
    this.mostMs = mostMs;
  }

  /**
   * Whether the reader may begin a batch, or go on with one, for which only the time counts. If not, it is woken once in a later turn, and may read
   * then; waiting readers come one after another.
   */
  mayRead(reader: Reader, begins: boolean): boolean {
    const { clock, waiting } = this;
    const isNew = clock.turnNumber() !== this.turn;
    const hasRoom = isNew || (this.spent < this.mostMs && !(begins && this.readCount >= BATCH_COUNT));
    if (reader.isInvited || (hasRoom && !waiting.has(reader))) {
      this.from = clock.now();
      return true;
    }
    waiting.add(reader);
    this.arm();
    return false;
  }

  /** Call it after each permitted read, with the number of events that were read from the journal. */
  hasRead(reader: Reader, count: number): void {
    const { clock } = this;
    const turn = clock.turnNumber();
    if (turn !== this.turn) {
      this.turn = turn;
      this.readCount = 0;
      this.spent = 0;
    }
    reader.isInvited = false;
    this.readCount += count;
    this.spent += clock.now() - this.from;
  }

  /** Whether the reader wants to read, and has not been woken yet. */
  isWaiting(reader: Reader): boolean {
    return this.waiting.has(reader);
  }

  /** Removes the reader. */
  leave(reader: Reader): void {
    this.waiting.delete(reader);
  }

  private arm(): void {
    if (this.isArmed || this.waiting.size === 0) return;
    this.isArmed = true;
    this.clock.afterTurn(() => this.inviteNext());
  }

  private inviteNext(): void {
    this.isArmed = false;
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    next.isInvited = true;
    try {
      next.wake();
    } finally {
      // Armed after the wake-up, so that this reader has read before the next one is invited.
      this.arm();
    }
  }
}
