// Whose turn it is to read on from the journal. What many have missed is read in batches, one after another over the turns of the event loop, so
// that those who come back all at once, or to much, hold up no one else.
import type { Clock } from "../../contracts/clock.js";
import type { TurnRoom } from "./turn-room.js";

/** Events of a batch. Once so many were read in a turn, by whomever, no other batch is begun in it but that of a reader whose turn it is. */
export const BATCH_COUNT = 256;

/** What one reader is told. */
export interface ReadTurn {
  /** Whether it may read a batch now. Where it may not, it is woken once, in a later turn, and may then; those who wait come in turn. */
  readonly mayRead: () => boolean;
  /** The same for what is left of a batch that it has begun: only the time counts (R34). */
  readonly mayGoOn: () => boolean;
  /** Whether something may be read out of turn, a little and at once: only the time counts, and nobody is woken for it. */
  readonly mayReadAside: () => boolean;
  /** To be told after each answer of yes: how many events were read of the journal. */
  readonly hasRead: (count: number) => void;
  /** Whether it would read on, and is not woken yet. */
  readonly isWaiting: () => boolean;
  /** It reads no more. */
  readonly leave: () => void;
}

export interface ReadTurns {
  readonly join: (wake: () => void) => ReadTurn;
}

interface Reader {
  readonly wake: () => void;
  /** An invited one may read, however late it comes. */
  isInvited: boolean;
}

/** One for all readers of a journal: a turn is one for everybody. */
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
        mayReadAside: () => {
          from = clock.now();
          return room.isLeft();
        },
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
