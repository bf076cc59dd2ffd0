// The budget of one subscription: a token bucket that is replenished continuously (AAEP §5.6.1, R9).
import type { Millis } from "../../contracts/clock.js";

/**
 * `ratePerSecond` is 1..100000, or undefined for no limit. `burst` is the number of events that may leave at once after a pause, 1..1000. Instants
 * are computed from a count and never added up, so that no rounding error grows.
 */
export class RateBudget {
  private rate: number | undefined;
  private readonly burst: number;
  // The bucket was last full at `fullAt`; `spentCount` tokens were taken since.
  private fullAt: Millis;
  private spentCount = 0;
  /** When the last event left. */
  lastSpentAt = Number.NEGATIVE_INFINITY;

  constructor(ratePerSecond: number | undefined, burst: number, now: Millis) {
    this.rate = ratePerSecond;
    this.burst = burst;
    this.fullAt = now;
  }

  /** Events that one second replenishes; infinity if there is no limit. */
  perSecond(): number {
    return this.rate ?? Number.POSITIVE_INFINITY;
  }

  /** The instant at which the next event may leave; minus infinity if there is no limit, or a token is left. */
  availableAt(): Millis {
    const owed = this.spentCount + 1 - this.burst;
    return this.rate === undefined || owed <= 0 ? Number.NEGATIVE_INFINITY : this.repaidAt(owed, this.rate);
  }

  /** Takes one token at `at`, even if there is none: the debt delays `availableAt` (R4). */
  spend(at: Millis): void {
    this.lastSpentAt = at;
    if (this.rate === undefined) return;
    // At the very instant at which the bucket is full, the count continues, so that steady use at the limit adds no rounding error.
    if (this.repaidAt(this.spentCount, this.rate) < at) {
      this.fullAt = at;
      this.spentCount = 0;
    }
    this.spentCount += 1;
  }

  /**
   * Continues at another rate with the present tokens. In any window across the change, at most (old rate × time before) + (new rate × time after) +
   * burst events leave. A bucket without limit counts as empty after its last event.
   */
  retune(perSecond: number | undefined, at: Millis): void {
    const { rate, burst } = this;
    if (perSecond === rate) return;
    if (perSecond !== undefined) {
      const missing =
        rate === undefined
          ? burst - ((at - this.lastSpentAt) * perSecond) / 1000
          : this.spentCount - ((at - this.fullAt) * rate) / 1000;
      this.spentCount = Math.max(0, Math.ceil(missing));
      this.fullAt = missing <= 0 ? at : at - ((this.spentCount - missing) * 1000) / perSecond;
    }
    this.rate = perSecond;
  }

  private repaidAt(count: number, perSecond: number): Millis {
    return this.fullAt + (count * 1000) / perSecond;
  }
}
