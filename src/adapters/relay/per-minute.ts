import type { Millis } from "../../contracts/clock.js";

const MINUTE_MS: Millis = 60_000;

/** Counts up to a limit a minute. */
export class PerMinute {
  readonly #most: number;
  #since: Millis = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more. Returns whether it is within the limit. */
  take(now: Millis): boolean {
    if (now - this.#since > MINUTE_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#most;
  }
}
