import type { Timers } from "../../src/client/platform-clock.js";

export interface VirtualTimers extends Timers {
  /** Moves time on, waking what falls due in its order, each wake-up followed by the promises it settles. */
  readonly advance: (milliseconds: number) => Promise<void>;
  /** Time passes in which this process has no turn: what falls due in it wakes with the next `advance`. */
  readonly holdUp: (milliseconds: number) => void;
  readonly pendingCount: () => number;
}

export function createVirtualTimers(): VirtualTimers {
  const due = new Set<{ readonly at: number; readonly wake: () => void }>();
  let now = 0;
  return {
    now: () => now,
    wakeAt: (at, wake) => {
      const entry = { at, wake };
      due.add(entry);
      return () => due.delete(entry);
    },
    advance: async (milliseconds) => {
      const until = now + milliseconds;
      for (;;) {
        const next = [...due].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
        if (next === undefined) break;
        due.delete(next);
        now = Math.max(now, next.at);
        next.wake();
        await settle();
      }
      now = until;
      await settle();
    },
    holdUp: (milliseconds) => {
      now += milliseconds;
    },
    pendingCount: () => due.size,
  };
}

/** Lets everything that needs no time happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
