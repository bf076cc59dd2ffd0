// Shares the turns of the event loop among those with work of one kind: subscriptions with deliveries to send, exchanges with messages to take. Much
// work for many is spread over several turns, one after another, so that nobody else is held up (R34).
import type { Clock, Millis } from "../contracts/clock.js";
import type { TurnRoom } from "../engine/time/turn-room.js";

export interface SharedTurns {
  /** Whether this turn has room for more work. */
  readonly isRoomLeft: () => boolean;
  /** Call it before a piece of work. Returns the instant for `end`. */
  readonly begin: () => Millis;
  /** Counts the time of the piece of work since `from`. */
  readonly end: (from: Millis) => void;
  /** Calls `goOn` in a later turn that has room, in the order of the calls of `wait`. Returns the cancellation. */
  readonly wait: (goOn: () => void) => () => void;
}

/** Made once for all work of a kind, because all of it shares each turn. */
export function createSharedTurns(clock: Pick<Clock, "now" | "afterTurn">, room: TurnRoom): SharedTurns {
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

/** Does the work now if this turn has room, else in a later turn. The work counts its own time. */
export function inTurn<Result>(turns: SharedTurns, work: () => Result): Result | Promise<Result> {
  if (turns.isRoomLeft()) return work();
  return new Promise((resolve, reject) => {
    turns.wait(() => {
      try {
        resolve(work());
      } catch (caught) {
        reject(caught);
      }
    });
  });
}
