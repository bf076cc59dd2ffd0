// Shares the turns of the event loop among those with work of one kind: connections that read, subscriptions with deliveries to send. Much work for
// many is spread over several turns, one after another, so that nobody else is held up (R34).
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Excess } from "./excess.js";

/** Longest time of a turn in which further pieces of the work begin, ms. */
const TURN_MS: Millis = 2;
/** Most of an overrun that is made up for, ms. More is a process that was stopped, or a machine that slept. */
const MOST_OVERRUN_MS: Millis = 100;
/** Most turns in a row that are left to work that goes first. Such work never ends where subscribers take all that a daemon can send. */
const MOST_LEFT_TURNS = 25;

/** Made once for all work of a kind, because all of it shares each turn. */
export class Turns {
  private readonly clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">;
  private readonly most: number;
  private readonly mostMs: Millis;
  private readonly first: Turns | undefined;
  private readonly waiting = new Set<{ readonly goOn: () => void; readonly isHeavy: boolean }>();
  private isArmed = false;
  /** The turn in which a piece of work began last, the instant of its first piece, and how many there were. */
  private turn = -1;
  private from: Millis = 0;
  private count = 0;
  /** The instant at which the last piece of work began. */
  private began: Millis = 0;
  /** Turns that heavy work still leaves to others, whether the present turn is one of them, and how many were in a row. */
  private owed = 0;
  private isLeft = false;
  private leftCount = 0;

  /**
   * `most`: pieces of work in a turn. `mostMs` 0: one. `first`: the turns of other work, for which heavy work waits; what it brings about is thereby
   * done before there is more of it.
   */
  constructor(
    clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">,
    most: number = Number.POSITIVE_INFINITY,
    mostMs: Millis = TURN_MS,
    first?: Turns,
  ) {
    this.clock = clock;
    this.most = most;
    this.mostMs = mostMs;
    this.first = first;
  }

  /**
   * Whether this turn has room for another piece of work, which then begins. The first piece of a turn always has, unless it `isHeavy`, and the turn
   * is left to others.
   */
  enter(isHeavy = false): boolean {
    const { clock } = this;
    const turn = clock.turnNumber();
    this.began = clock.now();
    if (turn !== this.turn) this.begin(turn);
    if (isHeavy && this.isLeft) return false;
    this.count += 1;
    return this.count === 1 || (this.count <= this.most && this.began - this.from < this.mostMs);
  }

  private begin(turn: number): void {
    this.turn = turn;
    this.count = 0;
    this.from = this.began;
    const isFirstWaiting = this.first !== undefined && this.first.waiting.size > 0;
    this.isLeft = this.owed > 0 || (isFirstWaiting && this.leftCount < MOST_LEFT_TURNS);
    this.owed = Math.max(0, this.owed - 1);
    this.leftCount = this.isLeft ? this.leftCount + 1 : 0;
  }

  /**
   * Tells that a piece of work is over. Heavy work leaves as many turns to others as it took too long; they are short if nobody has work (R34).
   * `excess`: that of its owner.
   */
  over(excess?: Excess): void {
    const now = this.clock.now();
    const tookMs = Math.min(now - this.began, MOST_OVERRUN_MS);
    this.owed = Math.max(this.owed, Math.ceil(tookMs / TURN_MS) - 1);
    excess?.note(tookMs - TURN_MS, now);
  }

  /** Does work now if nobody waits and this turn has room, else in a later turn, behind those who wait already. The work may not throw. */
  run(work: () => void, isHeavy = false): void {
    if (this.waiting.size === 0 && this.enter(isHeavy)) work();
    else this.wait(work, isHeavy);
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
        } else if (!next.isHeavy) break;
      }
    } finally {
      this.arm();
    }
  }
}
