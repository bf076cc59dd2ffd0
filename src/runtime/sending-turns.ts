// Whose turn it is to be sent what waits for it. Shaping and encoding much for many is done over turns of the event loop, one subscription after
// another, so that what arrives meanwhile is not held up (R34).
import type { Clock, Millis } from "../contracts/clock.js";
import type { TurnRoom } from "../engine/time/turn-room.js";

export interface SendingTurns {
  /** Whether more may be pulled in this turn. */
  readonly isRoomLeft: () => boolean;
  /** Call it before a piece of work. Returns the instant for `end`. */
  readonly begin: () => Millis;
  /** Counts the time of the piece of work since `from`. */
  readonly end: (from: Millis) => void;
  /** Calls `goOn` in a later turn that has room; those that wait come in the order in which they asked. Answers the cancellation. */
  readonly wait: (goOn: () => void) => () => void;
}

/** One for all pumps: a turn is one for everybody. */
export function createSendingTurns(clock: Pick<Clock, "now" | "afterTurn">, room: TurnRoom): SendingTurns {
  const waiting = new Set<{ readonly goOn: () => void }>();
  let isArmed = false;

  const arm = (): void => {
    if (isArmed || waiting.size === 0) return;
    isArmed = true;
    clock.afterTurn(inviteAll);
  };

  const inviteAll = (): void => {
    isArmed = false;
    try {
      for (const next of waiting) {
        if (!room.isLeft()) break;
        waiting.delete(next);
        next.goOn();
      }
    } finally {
      arm();
    }
  };

  return {
    isRoomLeft: room.isLeft,
    begin: () => clock.now(),
    end: (from) => room.used(clock.now() - from),
    wait: (goOn) => {
      const entry = { goOn };
      waiting.add(entry);
      arm();
      return () => void waiting.delete(entry);
    },
  };
}
