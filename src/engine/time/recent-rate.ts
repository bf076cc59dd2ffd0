// Rate over the last ten seconds: a ring of counts that each call moves on, so that it needs no timer.
import type { Millis } from "../../contracts/clock.js";

const SECONDS = 10;
const SLOTS = SECONDS + 1;

export class RecentRate {
  private readonly counts = new Array<number>(SLOTS).fill(0);
  private readonly first: number;
  private second: number;
  /** Count since the start. */
  total = 0;

  constructor(start: Millis) {
    this.first = Math.floor(start / 1000);
    this.second = this.first;
  }

  /** Adds to the count. `now` may not decrease. */
  note(count: number, now: Millis): void {
    if (now >= (this.second + 1) * 1000) this.moveTo(now);
    const slot = this.second % SLOTS;
    this.counts[slot] = (this.counts[slot] ?? 0) + count;
    this.total += count;
  }

  /** Average a second over the last ten whole seconds, or over the time since the start if that is shorter. */
  perSecond(now: Millis): number {
    this.moveTo(now);
    const { counts, second } = this;
    const whole = Math.min(SECONDS, second - this.first);
    // In the first second there is no whole second yet.
    if (whole === 0) return counts[second % SLOTS] ?? 0;
    let sum = 0;
    for (let back = 1; back <= whole; back += 1) sum += counts[(second - back) % SLOTS] ?? 0;
    return sum / whole;
  }

  private moveTo(now: Millis): void {
    const target = Math.floor(now / 1000);
    if (target <= this.second) return;
    // After a long silence, each slot is cleared once, and not once for each second.
    for (let next = Math.max(this.second + 1, target - SECONDS); next <= target; next += 1)
      this.counts[next % SLOTS] = 0;
    this.second = target;
  }
}
