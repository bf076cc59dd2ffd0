// Shares the turns of the event loop among those with work of one kind: connections that read, subscriptions with deliveries to send. Much work for
// many is spread over several turns, one after another, so that nobody else is held up (R34).
import type { Clock, Millis } from "../../contracts/clock.js";
import { Excess, type Weight } from "./excess.js";

/** Longest time of a turn in which further pieces of the work begin, ms. */
const TURN_MS: Millis = 2;
/** Most of an overrun that is made up for, ms. More is a process that was stopped, or a machine that slept. */
const MOST_OVERRUN_MS: Millis = 100;
/** Most turns in a row that are left to others, who may never be done. */
const MOST_LEFT_TURNS = 25;

interface TurnsOptions {
  /** Most pieces of work in a turn. Default: as many as fit into its time. */
  readonly most?: number | undefined;
  /** Longest time of a turn in which further pieces begin, in ms. Default 2; 0: one piece a turn. */
  readonly mostMs?: Millis | undefined;
  /** The turns of other work, for which heavy work waits: what it brings about is done before there is more of it. */
  readonly goesFirst?: Turns;
}

/** Made once for all work of a kind, because all of it shares each turn. */
export class Turns {
  private readonly clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">;
  private readonly most: number;
  private readonly mostMs: Millis;
  private readonly goesFirst: Turns | undefined;
  private readonly waiting = new Set<{ readonly goOn: () => void; readonly weight: Weight }>();
  private isArmed = false;
  /** The turn in which a piece of work began last, the instant of its first piece, and how many there were. */
  private turn = -1;
  private from: Millis = 0;
  private count = 0;
  /** The instant at which the last piece of work began. */
  private began: Millis = 0;
  /** Turns that work still leaves to others, and how many it has left in a row. */
  private owed = 0;
  private leftCount = 0;
  /** The weights for which the present turn has no room. */
  private left: "none" | "heavy" | "unknown and heavy" = "none";

  constructor(clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">, options: TurnsOptions = {}) {
    const { most = Number.POSITIVE_INFINITY, mostMs = TURN_MS, goesFirst } = options;
    this.clock = clock;
    this.most = most;
    this.mostMs = mostMs;
    this.goesFirst = goesFirst;
  }

  /** The excess of one owner of work, for `over`. */
  newExcess(): Excess {
    return new Excess(this.clock);
  }

  /** Whether this turn has room for another piece of work, which then begins. The first piece of a turn always has, unless it is left to others. */
  enter(weight: Weight = "light"): boolean {
    const { clock } = this;
    const turn = clock.turnNumber();
    this.began = clock.now();
    if (turn !== this.turn) this.begin(turn);
    if (this.isLeftBy(weight)) return false;
    this.count += 1;
    return this.count === 1 || (this.count <= this.most && this.began - this.from < this.mostMs);
  }

  private begin(turn: number): void {
    this.turn = turn;
    this.count = 0;
    this.from = this.began;
    const mayBeLeft = this.leftCount < MOST_LEFT_TURNS;
    const isOtherWaiting = this.goesFirst !== undefined && this.goesFirst.waiting.size > 0;
    this.left = mayBeLeft && this.owed > 0 ? "unknown and heavy" : mayBeLeft && isOtherWaiting ? "heavy" : "none";
    this.owed = Math.max(0, this.owed - 1);
    this.leftCount = this.left === "none" ? 0 : this.leftCount + 1;
  }

  private isLeftBy(weight: Weight): boolean {
    return weight !== "light" && (this.left === "unknown and heavy" || this.left === weight);
  }

  /**
   * Tells that a piece of work is over, and how long it was to the `excess` of its owner. Work that took longer than a turn leaves the next turns to
   * light work and to sending, one for each 2 ms; they are short if nobody has such work (R34).
   */
  over(excess?: Excess): void {
    const now = this.clock.now();
    const tookMs = Math.min(now - this.began, MOST_OVERRUN_MS);
    this.owed = Math.max(this.owed, Math.ceil(tookMs / TURN_MS) - 1);
    excess?.note(tookMs - TURN_MS, now);
  }

  /** Does work now if nobody waits and this turn has room, else in a later turn, behind those who wait already. The work may not throw. */
  run(work: () => void, weight: Weight = "light"): void {
    if (this.waiting.size === 0 && this.enter(weight)) work();
    else this.wait(work, weight);
  }

  /** Calls `goOn` as a piece of work in a later turn that has room, behind those who wait already. Returns the cancellation. */
  wait(goOn: () => void, weight: Weight = "light"): () => void {
    const entry = { goOn, weight };
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
        if (this.enter(next.weight)) {
          this.waiting.delete(next);
          next.goOn();
        } else if (!this.isLeftBy(next.weight)) break;
      }
    } finally {
      this.arm();
    }
  }
}
