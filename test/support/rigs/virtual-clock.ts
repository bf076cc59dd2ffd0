import type { Clock, Millis } from "../../../src/contracts/clock.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";

export interface VirtualClock extends Clock {
  /** Moves time on, stopping at every wake-up on the way. */
  readonly advance: (ms: Millis) => void;
  /** As `advance`, each wake-up followed by the promises that it settles. */
  readonly advanceSettled: (ms: Millis) => Promise<void>;
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

/** Lets everything that needs no time happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A clock that stands still until it is told otherwise (R24). `endsTurns`: what is due at the end of a turn runs in the next one of the process;
 * otherwise the test ends turns.
 */
export function createVirtualClock(
  startWallTime = Date.UTC(2026, 4, 24, 14, 0, 0),
  { endsTurns = false } = {},
): VirtualClock {
  let now = 0;
  let steppedMs = 0;
  const wakeUps = createWakeUps();
  let turn: (() => void)[] = [];
  let turnNumber = 0;
  const endTurn = (): void => {
    turnNumber += 1;
    const due = turn;
    turn = [];
    for (const run of due) run();
  };
  const endTurns = (): void => {
    while (turn.length > 0) endTurn();
  };
  const collect = (run: () => void): void => {
    turn.push(run);
    if (endsTurns) setImmediate(endTurns);
  };
  return {
    now: () => now,
    wallTime: () => startWallTime + steppedMs + Math.floor(now),
    stepWall: (byMs) => {
      steppedMs += byMs;
    },
    // As of the platform: a wake-up is told nothing.
    wakeAt: (at, wake) => wakeUps.at(at, () => wake()),
    afterCall: collect,
    turnNumber: () => turnNumber,
    afterTurn: collect,
    settle: endTurns,
    turn: endTurn,
    runDue: () => wakeUps.advance(now),
    pending: wakeUps.pending,
    pass: (ms) => {
      now += ms;
    },
    advance: (ms) => {
      const until = now + ms;
      endTurns();
      for (let next = wakeUps.next(); next !== undefined && next <= until; next = wakeUps.next()) {
        now = Math.max(now, next);
        wakeUps.advance(now);
        endTurns();
      }
      now = until;
      endTurns();
    },
    advanceSettled: async (ms) => {
      const until = now + ms;
      for (let next = wakeUps.next(); next !== undefined && next <= until; next = wakeUps.next()) {
        now = Math.max(now, next);
        wakeUps.advance(now, 1);
        await settle();
      }
      now = until;
      await settle();
    },
  };
}
