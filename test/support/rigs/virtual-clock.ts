import type { Clock, Millis } from "../../../src/contracts/clock.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";

export interface VirtualClock extends Clock {
  /** Moves time on, stopping at every wake-up on the way. */
  readonly advance: (ms: Millis) => void;
  /** Lets time pass in the middle of a turn: what is due stays so. */
  readonly pass: (ms: Millis) => void;
  /** Somebody sets the clock on the wall, by so much: no time passes. */
  readonly stepWall: (byMs: number) => void;
  /** Runs what is due, and nothing that this collects for the end of the turn. */
  readonly runDue: () => void;
  /** How many wake-ups are waited for. */
  readonly pending: () => number;
  /** Runs what `afterTurn` has collected, until nothing is left. */
  readonly settle: () => void;
  /** Ends one turn: runs what `afterTurn` has collected, and not what comes of that. */
  readonly turn: () => void;
}

/** A clock that stands still until it is told otherwise (R24). */
export function createVirtualClock(startWallTime = Date.UTC(2026, 4, 24, 14, 0, 0)): VirtualClock {
  let now = 0;
  let steppedMs = 0;
  const wakeUps = createWakeUps();
  let turn: (() => void)[] = [];
  const endTurn = (): void => {
    const due = turn;
    turn = [];
    for (const run of due) run();
  };
  const settle = (): void => {
    while (turn.length > 0) endTurn();
  };
  return {
    now: () => now,
    wallTime: () => startWallTime + steppedMs + Math.floor(now),
    stepWall: (byMs) => {
      steppedMs += byMs;
    },
    wakeAt: wakeUps.at,
    afterCall: (run) => void turn.push(run),
    afterTurn: (run) => void turn.push(run),
    settle,
    turn: endTurn,
    runDue: () => wakeUps.advance(now),
    pending: wakeUps.pending,
    pass: (ms) => {
      now += ms;
    },
    advance: (ms) => {
      const until = now + ms;
      settle();
      for (let next = wakeUps.next(); next !== undefined && next <= until; next = wakeUps.next()) {
        now = Math.max(now, next);
        wakeUps.advance(now);
        settle();
      }
      now = until;
      settle();
    },
  };
}
