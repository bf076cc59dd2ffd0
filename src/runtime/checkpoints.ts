// Times of the checkpoints: a subscription receives its place within a second after a hand-over, at most once a second, and after a while also if
// only held-back events moved the place (R17). All pumps share one clock and have no timer of their own.
import type { Clock, Millis } from "../contracts/clock.js";

/** The shortest time between two checkpoints of one subscription, and the longest from a hand-over to the next checkpoint. */
export const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After this time without a checkpoint the daemon checks whether the place moved. */
const QUIET_MS: Millis = 15_000;
/** Places reported in one turn; the others follow in later turns (R34). */
const MOST_IN_A_TURN = 256;

export interface Checkpointed {
  /** Called by the timer when it is time to report the place. Must be cheap. */
  readonly tellPlace: () => void;
}

export class Checkpoints {
  private readonly owed: WaitingLine;
  private readonly quiet: WaitingLine;

  constructor(clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">) {
    this.owed = new WaitingLine(clock, CHECKPOINT_EVERY_MS);
    this.quiet = new WaitingLine(clock, QUIET_MS);
  }

  /** Reports a hand-over without a checkpoint. A second call before that checkpoint changes nothing. */
  schedule(one: Checkpointed): void {
    if (!this.owed.has(one)) this.owed.enter(one);
  }

  /** Reports that the place was sent or checked: no checkpoint is due, and the next check follows after `QUIET_MS`. */
  told(one: Checkpointed): void {
    this.leave(one);
    this.quiet.enter(one);
  }

  leave(one: Checkpointed): void {
    this.owed.leave(one);
    this.quiet.leave(one);
  }
}

/** All entries wait equally long, so the first entry is the first that is due. */
class WaitingLine {
  private readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
  private readonly waitMs: Millis;
  private readonly dueAt = new Map<Checkpointed, Millis>();
  private cancel: (() => void) | undefined;

  constructor(clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">, waitMs: Millis) {
    this.clock = clock;
    this.waitMs = waitMs;
  }

  has(one: Checkpointed): boolean {
    return this.dueAt.has(one);
  }

  enter(one: Checkpointed): void {
    const at = this.clock.now() + this.waitMs;
    this.dueAt.set(one, at);
    this.cancel ??= this.clock.wakeAt(at, () => this.tellDue());
  }

  leave(one: Checkpointed): void {
    if (!this.dueAt.delete(one) || this.dueAt.size > 0) return;
    this.cancel?.();
    this.cancel = undefined;
  }

  private tellDue(): void {
    this.cancel = undefined;
    const now = this.clock.now();
    let left = MOST_IN_A_TURN;
    for (const [one, at] of this.dueAt) {
      if (at > now || left === 0) {
        this.cancel = at > now ? this.clock.wakeAt(at, () => this.tellDue()) : this.continueLater();
        return;
      }
      left -= 1;
      this.dueAt.delete(one);
      one.tellPlace();
    }
  }

  private continueLater(): () => void {
    let isCancelled = false;
    this.clock.afterTurn(() => {
      if (!isCancelled) this.tellDue();
    });
    return () => {
      isCancelled = true;
    };
  }
}
