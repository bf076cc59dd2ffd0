// How much of one turn of the event loop a kind of work may take, so that its rest gives way to what arrives meanwhile (R34).
import type { Clock, Millis } from "../../contracts/clock.js";

/** Longest time that work of one kind takes of a turn before it gives way, ms. */
export const TURN_ROOM_MS: Millis = 2;

export interface TurnRoom {
  /** Whether this turn has time left for the work. A turn in which none was done has. */
  readonly isLeft: () => boolean;
  /** To be told of each piece of work: how long it took. */
  readonly used: (ms: Millis) => void;
}

/** One for all work of a kind: a turn is one for everybody. `mostMs` 0: one piece of work a turn. */
export function createTurnRoom(clock: Pick<Clock, "afterTurn">, mostMs: Millis = TURN_ROOM_MS): TurnRoom {
  let spent = 0;
  let isUsed = false;
  const begin = (): void => {
    spent = 0;
    isUsed = false;
  };
  return {
    isLeft: () => !isUsed || spent < mostMs,
    used: (ms) => {
      spent += ms;
      if (isUsed) return;
      isUsed = true;
      clock.afterTurn(begin);
    },
  };
}
