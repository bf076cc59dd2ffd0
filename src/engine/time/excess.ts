// Which connections send messages that take long: their messages let others go first (R34).
import type { Clock, Millis } from "../../contracts/clock.js";

/** "unknown": the first work of an owner. "heavy": work of one whose work was too long lately. "light": any other. */
export type Weight = "light" | "unknown" | "heavy";

/** Excess from which an owner's work is heavy, ms. A machine that ran another process meanwhile makes nobody's work heavy. */
const ALLOWED_MS: Millis = 10;
/** The part of the time for which an owner's work may be too long. */
const FORGIVEN_SHARE = 0.1;

/** By how much longer than a turn the work of one owner was lately. */
export class Excess {
  private readonly clock: Pick<Clock, "now">;
  private ms: Millis = 0;
  /** When work was over last. */
  private at: Millis | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.clock = clock;
  }

  get weight(): Weight {
    if (this.at === undefined) return "unknown";
    // Most owners have no excess. The clock is not read for them, because this runs for every message.
    return this.ms > 0 && this.restAt(this.clock.now()) >= ALLOWED_MS ? "heavy" : "light";
  }

  /** Takes note of a piece of work that is over at `now`, and that was too long by `ms`. */
  note(ms: Millis, now: Millis): void {
    this.ms = this.restAt(now) + Math.max(0, ms);
    this.at = now;
  }

  private restAt(now: Millis): Millis {
    return Math.max(0, this.ms - (now - (this.at ?? now)) * FORGIVEN_SHARE);
  }
}
