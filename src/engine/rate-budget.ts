// The budget of one subscription: a token bucket that is replenished continuously (AAEP §5.6.1, R9).
import type { Millis } from "../contracts/clock.js";

export interface RateBudget {
  /** When the next event may leave; minus infinity where there is no limit or a token is left. */
  readonly availableAt: () => Millis;
  /** Takes one token at `now`, also where there is none: the debt moves `availableAt` further away (R4). */
  readonly spend: (now: Millis) => void;
  /**
   * Goes on at another rate, with what is in the bucket. In any window across the change at most (old rate × time before) + (new rate × time after)
   * + burst leave. Out of no limit the bucket is taken to have been empty after the last event.
   */
  readonly retune: (ratePerSecond: number | undefined, now: Millis) => void;
}

/**
 * `ratePerSecond` 1..100000, undefined is no limit; `burst` is the number of events that may leave at once after a pause, 1..1000.
 * Time is derived from a count each time and never summed up, so that no rounding error grows.
 */
export function createRateBudget(ratePerSecond: number | undefined, burst: number, now: Millis): RateBudget {
  let rate = ratePerSecond;
  // The bucket was last full at `fullAt`, and `spentCount` tokens were taken since.
  let fullAt = now;
  let spentCount = 0;
  let lastSpentAt = Number.NEGATIVE_INFINITY;

  const repaidAt = (count: number, perSecond: number): Millis => fullAt + (count * 1000) / perSecond;

  return {
    availableAt: () => {
      const owed = spentCount + 1 - burst;
      return rate === undefined || owed <= 0 ? Number.NEGATIVE_INFINITY : repaidAt(owed, rate);
    },
    spend: (at) => {
      lastSpentAt = at;
      if (rate === undefined) return;
      // At the very moment it is full the count goes on, so that steady use at the limit never rounds anew.
      if (repaidAt(spentCount, rate) < at) {
        fullAt = at;
        spentCount = 0;
      }
      spentCount += 1;
    },
    retune: (perSecond, at) => {
      if (perSecond === rate) return;
      if (perSecond !== undefined) {
        const missing =
          rate === undefined
            ? burst - ((at - lastSpentAt) * perSecond) / 1000
            : spentCount - ((at - fullAt) * rate) / 1000;
        spentCount = Math.max(0, Math.ceil(missing));
        fullAt = missing <= 0 ? at : at - ((spentCount - missing) * 1000) / perSecond;
      }
      rate = perSecond;
    },
  };
}
