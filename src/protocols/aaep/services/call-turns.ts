// Gives costly unary calls turns of the event loop, like the messages of a stream (R34): one call a turn, sender by sender, so that a flood of
// calls delays only its sender, and fills no memory.
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";
import type { AbortSignalLike } from "../../../contracts/rpc.js";
import { Turns } from "../../../engine/time/turns.js";

/** Most calls of a sender that wait for their turns. */
const MOST_WAITING = 256;

/** A sender's waiting calls. */
interface Line {
  count: number;
  /** The turn of the newest. */
  newest: Promise<void>;
}

export class CallTurns {
  private readonly turns: Turns;
  private readonly lines = new Map<string, Line>();

  constructor(clock: Pick<Clock, "now" | "afterTurn" | "turnNumber">) {
    this.turns = new Turns(clock, 1, 0);
  }

  /**
   * Runs a call at once if none waits and none ran in this turn, else in its turn. Rejects with the error of the call, with `cancelled` if the call
   * was taken back before its turn, and with `rate_limit` if 256 calls of the sender wait (R34).
   */
  async take<Answer>(sender: string, signal: AbortSignalLike, run: () => Answer | Promise<Answer>): Promise<Answer> {
    if (this.lines.size === 0 && this.turns.enter()) return run();
    const line = this.lineWithRoom(sender);
    line.count += 1;
    line.newest = line.newest.then(() => new Promise<void>((resolve) => void this.turns.wait(resolve)));
    await line.newest;
    line.count -= 1;
    if (line.count === 0) this.lines.delete(sender);
    if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
    return run();
  }

  private lineWithRoom(sender: string): Line {
    const line = this.lines.get(sender) ?? { count: 0, newest: Promise.resolve() };
    if (line.count >= MOST_WAITING) {
      const sentence = `Wait for an answer first: ${MOST_WAITING} costly calls of this sender wait for their turns.`;
      throw new Fault("rate_limit", sentence, { pointer: "", rule: "R34" });
    }
    this.lines.set(sender, line);
    return line;
  }
}
