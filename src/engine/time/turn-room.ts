// The share of one turn of the event loop that a kind of work may take before it gives way (R34).
import type { Clock, Millis } from "../../contracts/clock.js";

/** Longest time that work of one kind takes of a turn, in ms. */
const TURN_ROOM_MS: Millis = 2;

export interface TurnRoom {
  /** Whether the turn has time left for the work. The first piece of a turn always has. */
  readonly isLeft: () => boolean;
  /** Call it after each piece of work, with its length in ms. */
  readonly used: (ms: Millis) => void;
}

/** Makes the room of all work of one kind, which shares the turns of the event loop. `mostMs` 0: one piece of work a turn. */
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
