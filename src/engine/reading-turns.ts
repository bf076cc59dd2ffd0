// Whose turn it is to read on from the journal. What many have missed is read in batches, one after another over the turns of the event loop, so
// that those who come back all at once, or to much, hold up no one else.
import type { Clock } from "../contracts/clock.js";

/** Events of a batch. Once so many were read in a turn, by whomever, no other batch is begun in it but that of a reader whose turn it is. */
export const BATCH_COUNT = 256;

/** What one reader is told. */
export interface ReadingTurn {
  /** Whether it may read a batch now. Where it may not, it is woken once, in a later turn, and may then; those who wait come in turn. */
  readonly mayRead: () => boolean;
  /** To be told of each batch that was read: how many events it had. */
  readonly hasRead: (count: number) => void;
  /** Whether it would read on, and is not woken yet. */
  readonly isWaiting: () => boolean;
  /** It reads no more. */
  readonly leave: () => void;
}

export interface ReadingTurns {
  readonly join: (wake: () => void) => ReadingTurn;
}

interface Reader {
  readonly wake: () => void;
  /** An invited one may read, however late it comes. */
  isInvited: boolean;
}

/** One for all readers of a journal: a turn is one for everybody. */
export function createReadingTurns(clock: Pick<Clock, "afterTurn">): ReadingTurns {
  const waiting = new Set<Reader>();
  let readCount = 0;
  let isArmed = false;

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
      // After it was woken: so it has read by the time that the next one is invited.
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
      return {
        mayRead: () => {
          if (reader.isInvited) return true;
          if (!waiting.has(reader) && readCount < BATCH_COUNT) return true;
          waiting.add(reader);
          arm();
          return false;
        },
        hasRead: (count) => {
          reader.isInvited = false;
          readCount += count;
          arm();
        },
        isWaiting: () => waiting.has(reader),
        leave: () => void waiting.delete(reader),
      };
    },
  };
}
