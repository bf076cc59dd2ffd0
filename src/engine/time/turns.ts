// Shares the turns of the event loop among those with work of one kind: connections that read, subscriptions with deliveries to send. Much work for
// many is spread over several turns, one after another, so that nobody else is held up (R34).
import type { Clock, Millis } from "../../contracts/clock.js";

/** Longest time of a turn in which further pieces of the work begin, ms. */
const TURN_MS: Millis = 2;
/** Most of an overrun that is made up for, ms. More is a process that was stopped, or a machine that slept. */
const MOST_OVERRUN_MS: Millis = 100;

/** Made once for all work of a kind, because all of it shares each turn. */
export class Turns {
  private readonly clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">;
  private readonly most: number;
  private readonly mostMs: Millis;
  private readonly waiting = new Set<{ readonly goOn: () => void; readonly isHeavy: boolean }>();
  private isArmed = false;
  /** The turn in which a piece of work began last, the instant of its first piece, and how many there were. */
  private turn = -1;
  private from: Millis = 0;
  private count = 0;
  /** The instant at which the last piece of work began. */
  private began: Millis = 0;
  /** Turns that heavy work still leaves to others, and whether the present turn is one of them. */
  private owed = 0;
  private isLeft = false;

  /** `most`: pieces of work in a turn. `mostMs` 0: one. */
  constructor(
    clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">,
    most: number = Number.POSITIVE_INFINITY,
    mostMs: Millis = TURN_MS,
  ) {
    this.clock = clock;
    this.most = most;
    this.mostMs = mostMs;
  }

  /**
   * Whether this turn has room for another piece of work, which then begins. The first piece of a turn always has. `isHeavy`: the last piece of the
   * same owner was longer than a turn; a turn that is left to others has no room for it.
   */
  enter(isHeavy = false): boolean {
    const { clock } = this;
    const turn = clock.turnNumber();
    this.began = clock.now();
    if (turn !== this.turn) {
      this.turn = turn;
      this.count = 0;
      this.from = this.began;
      this.isLeft = this.owed > 0;
      if (this.isLeft) this.owed -= 1;
    }
    if (isHeavy && this.isLeft) return false;
    this.count += 1;
    return this.count === 1 || (this.count <= this.most && this.began - this.from < this.mostMs);
  }

  /**
   * Tells that a piece of work is over. Returns whether it was longer than a turn, so that its owner's next one is heavy. As many turns as it took
   * too long are left to others, who send what it brought about; they are short if nobody has work (R34).
   */
  over(): boolean {
    const tookMs = Math.min(this.clock.now() - this.began, MOST_OVERRUN_MS);
    const owed = Math.ceil(tookMs / TURN_MS) - 1;
    if (owed > this.owed) this.owed = owed;
    return owed > 0;
  }

  /** Does work now if nobody waits and this turn has room, else in a later turn, behind those who wait already. The work may not throw. */
  run(work: () => void): void {
    if (this.waiting.size === 0 && this.enter()) work();
    else this.wait(work);
  }

  /** Calls `goOn` as a piece of work in a later turn that has room, behind those who wait already. Returns the cancellation. */
  wait(goOn: () => void, isHeavy = false): () => void {
    const entry = { goOn, isHeavy };
    this.waiting.add(entry);
    this.arm();
    return () => void this.waiting.delete(entry);
  }

  private arm(): void {
    if (this.isArmed || this.waiting.size === 0) return;
    this.isArmed = true;
    // The end of this turn is then queued before the invitation, which thereby belongs to the next turn.
    this.clock.turnNumber();
    this.clock.afterTurn(() => this.invite());
  }

  private invite(): void {
    this.isArmed = false;
    try {
      // A later turn is for those that begin to wait meanwhile.
      let left = this.waiting.size;
      for (const next of this.waiting) {
        if (left === 0) break;
        left -= 1;
        if (this.enter(next.isHeavy)) {
          this.waiting.delete(next);
          next.goOn();
        } else if (!(next.isHeavy && this.isLeft)) break;
      }
    } finally {
      this.arm();
    }
  }
}
