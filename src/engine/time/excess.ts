// Which connections send messages that take long: their messages let others go first (R34).
import type { Millis } from "../../contracts/clock.js";

/** Excess from which an owner's work is heavy, ms. A machine that ran another process meanwhile makes nobody's work heavy. */
const ALLOWED_MS: Millis = 10;
/** The part of the time that an owner's work may take too long. */
const FORGIVEN_SHARE = 0.1;

/** By how much longer than a turn the work of one owner was lately. The first work of an owner is heavy: nobody gains by coming anew. */
export class Excess {
  private ms: Millis = ALLOWED_MS;
  private at: Millis = 0;

  get isHeavy(): boolean {
    return this.ms >= ALLOWED_MS;
  }

  /** Takes note of a piece of work, of which `ms` were too long. */
  note(ms: Millis, now: Millis): void {
    this.ms = Math.max(0, this.ms - (now - this.at) * FORGIVEN_SHARE) + Math.max(0, ms);
    this.at = now;
  }
}
