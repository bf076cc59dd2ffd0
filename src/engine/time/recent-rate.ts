// Rate over the last ten seconds: a ring of counts that each call moves on, so that it needs no timer.
import type { Millis } from "../../contracts/clock.js";

export interface RecentRate {
  /** Adds to the count. `now` may not decrease. */
  readonly note: (count: number, now: Millis) => void;
  /** Average a second over the last ten whole seconds, or over the time since the start if that is shorter. */
  readonly perSecond: (now: Millis) => number;
  /** Count since the start. */
  readonly total: () => number;
}

const SECONDS = 10;
const SLOTS = SECONDS + 1;

export function createRecentRate(start: Millis): RecentRate {
  const counts = new Array<number>(SLOTS).fill(0);
  const first = Math.floor(start / 1000);
  let second = first;
  let total = 0;

  const moveTo = (now: Millis): void => {
    const target = Math.floor(now / 1000);
    if (target <= second) return;
    // After a long silence, each slot is cleared once, and not once for each second.
    for (let next = Math.max(second + 1, target - SECONDS); next <= target; next += 1) counts[next % SLOTS] = 0;
    second = target;
  };

  return {
    note: (count, now) => {
      if (now >= (second + 1) * 1000) moveTo(now);
      const slot = second % SLOTS;
      counts[slot] = (counts[slot] ?? 0) + count;
      total += count;
    },
    perSecond: (now) => {
      moveTo(now);
      const whole = Math.min(SECONDS, second - first);
      // In the first second there is no whole second yet.
      if (whole === 0) return counts[second % SLOTS] ?? 0;
      let sum = 0;
      for (let back = 1; back <= whole; back += 1) sum += counts[(second - back) % SLOTS] ?? 0;
      return sum / whole;
    },
    total: () => total,
  };
}
