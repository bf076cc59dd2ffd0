// Gives costly unary calls turns of the event loop, like the messages of a stream (R34): one call a turn, sender by sender, so that a flood of
// calls delays only its sender. Transports bound the calls that a connection has open.
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";
import type { AbortSignalLike } from "../../../contracts/rpc.js";
import { Turns } from "../../../engine/time/turns.js";

export class CallTurns {
  private readonly turns: Turns;
  /** The turn of each sender's newest waiting call. */
  private readonly newest = new Map<string, Promise<void>>();

  constructor(clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">) {
    this.turns = new Turns(clock, 1, 0);
  }

  /**
   * Runs a call at once if none waits and none ran in this turn, else in its turn. Rejects with the error of the call, and with `cancelled` if the
   * call was taken back before its turn.
   */
  async take<Answer>(sender: string, signal: AbortSignalLike, run: () => Answer | Promise<Answer>): Promise<Answer> {
    if (this.newest.size === 0 && this.turns.enter()) return run();
    const turn = this.nextTurnOf(sender);
    await turn;
    if (this.newest.get(sender) === turn) this.newest.delete(sender);
    if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
    return run();
  }

  private nextTurnOf(sender: string): Promise<void> {
    const before = this.newest.get(sender) ?? Promise.resolve();
    const turn = before.then(() => new Promise<void>((resolve) => void this.turns.wait(resolve)));
    this.newest.set(sender, turn);
    return turn;
  }
}
