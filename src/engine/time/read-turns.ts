// Turns of the readers of the journal. Missed events are read in batches, one after another over the turns of the event loop, so that many returning
// subscriptions, or one with a long backlog, hold up no other.
import type { Clock } from "../../contracts/clock.js";
import type { TurnRoom } from "./turn-room.js";

/** Events of a batch. Once so many events were read in a turn of the event loop, only a reader that was invited may begin another batch in it. */
export const BATCH_COUNT = 256;

/** The turns of one reader. */
export interface ReadTurn {
  /** Whether the reader may read a batch now. If not, it is woken once in a later turn, and may read then; waiting readers come one after another. */
  readonly mayRead: () => boolean;
  /** Whether the reader may continue a batch. Only the time of the turn counts (R34). */
  readonly mayGoOn: () => boolean;
  /** Call it after each permitted read, with the number of events that were read from the journal. */
  readonly hasRead: (count: number) => void;
  /** Whether the reader wants to read, and has not been woken yet. */
  readonly isWaiting: () => boolean;
  /** Removes the reader. */
  readonly leave: () => void;
}

export interface ReadTurns {
  readonly join: (wake: () => void) => ReadTurn;
}

interface Reader {
  readonly wake: () => void;
  /** An invited reader may read, however late it comes. */
  isInvited: boolean;
}

/** Makes the turns of all readers of a journal, which share the turns of the event loop. */
export function createReadTurns(clock: Pick<Clock, "now" | "afterTurn">, room: TurnRoom): ReadTurns {
  const waiting = new Set<Reader>();
  let readCount = 0;
  let isArmed = false;
  let from = 0;

  const inviteNext = (): void => {
    isArmed = false;
    readCount = 0;
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next.isInvited = true;
    try {
      next.wake();
    } finally {
      // Armed after the wake-up, so that this reader has read before the next one is invited.
      arm();
    }
  };

  const arm = (): void => {
    if (isArmed) return;
    isArmed = true;
    clock.afterTurn(inviteNext);
  };

  return {
    join: (wake) => {
      const reader: Reader = { wake, isInvited: false };
      const may = (isInTime: boolean): boolean => {
        if (reader.isInvited || (isInTime && !waiting.has(reader) && room.isLeft())) {
          from = clock.now();
          return true;
        }
        waiting.add(reader);
        arm();
        return false;
      };
      return {
        mayRead: () => may(readCount < BATCH_COUNT),
        mayGoOn: () => may(true),
        hasRead: (count) => {
          reader.isInvited = false;
          readCount += count;
          room.used(clock.now() - from);
          if (count > 0) arm();
        },
        isWaiting: () => waiting.has(reader),
        leave: () => void waiting.delete(reader),
      };
    },
  };
}
