// Shares the turns of the event loop among subscriptions with deliveries to send. Shaping and encoding much for many is spread over several turns,
// one subscription after another, so that arriving messages are not held up (R34).
import type { Clock, Millis } from "../contracts/clock.js";
import type { TurnRoom } from "../engine/time/turn-room.js";

export interface SendingTurns {
  /** Whether this turn has room for more pulls. */
  readonly isRoomLeft: () => boolean;
  /** Call it before a piece of pulling work. Returns the instant for `end`. */
  readonly begin: () => Millis;
  /** Counts the time of the piece of work since `from`. */
  readonly end: (from: Millis) => void;
  /** Calls `goOn` in a later turn that has room, in the order of the calls of `wait`. Returns the cancellation. */
  readonly wait: (goOn: () => void) => () => void;
}

/** Made once for all pumps, because all pumps share each turn. */
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
