import type { Clock, Millis } from "../../src/contracts/clock.js";

export interface VirtualClock extends Clock {
  /** Moves time on, stopping at every wake-up on the way. */
  readonly advance: (ms: Millis) => void;
  /** Runs what `afterTurn` has collected, until nothing is left. */
  readonly settle: () => void;
}

/** A clock that stands still until it is told otherwise (R24). */
export function createVirtualClock(startWallTime = Date.UTC(2026, 4, 24, 14, 0, 0)): VirtualClock {
  let now = 0;
  const wakes = new Set<{ at: Millis; wake: () => void }>();
  let turn: (() => void)[] = [];
  const settle = (): void => {
    while (turn.length > 0) {
      const due = turn;
      turn = [];
      for (const run of due) run();
    }
  };
  return {
    now: () => now,
    wallTime: () => startWallTime + Math.floor(now),
    wakeAt: (at, wake) => {
      const entry = { at, wake };
      wakes.add(entry);
      return () => wakes.delete(entry);
    },
    afterTurn: (run) => void turn.push(run),
    settle,
    advance: (ms) => {
      const until = now + ms;
      settle();
      for (;;) {
        let next: { at: Millis; wake: () => void } | undefined;
        for (const entry of wakes) if (entry.at <= until && (next === undefined || entry.at < next.at)) next = entry;
        if (next === undefined) break;
        wakes.delete(next);
        now = Math.max(now, next.at);
        next.wake();
        settle();
      }
      now = until;
      settle();
    },
  };
}
