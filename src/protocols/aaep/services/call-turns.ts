// Gives costly unary calls turns of the event loop, like the messages of a stream (R34): one call a turn, sender by sender, so that a flood of
// calls delays only its sender.
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";
import type { AbortSignalLike } from "../../../contracts/rpc.js";

/** Most waiting calls of one sender. */
export const MAX_WAITING_CALLS = 1024;
/** Most bytes of the requests of one sender that wait. One request may wait in any case. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A costly call. `sender` identifies the line in which it waits, `bytes` is the size of its request. */
export interface CostlyCall<Answer> {
  readonly sender: string;
  readonly bytes: number;
  readonly signal: AbortSignalLike;
  readonly run: () => Answer | Promise<Answer>;
}

interface Line {
  readonly calls: { readonly bytes: number; readonly run: () => void }[];
  bytes: number;
}

export class CallTurns {
  private readonly clock: Pick<Clock, "afterTurn">;
  /** The lines of the senders, in the order of the turns. */
  private readonly waiting = new Map<string, Line>();
  private isTaken = false;

  constructor(clock: Pick<Clock, "afterTurn">) {
    this.clock = clock;
  }

  /**
   * Runs a call at once if no other ran in this turn, else in a later one. Rejects with the error of the call, with `cancelled` if it was taken back
   * before its turn, and with `rate_limit` if too many or too large calls of the sender wait. Keeps nothing of a call that has run.
   */
  take<Answer>({ sender, bytes, signal, run }: CostlyCall<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const runNow = (): void => {
        try {
          if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
          resolve(run());
        } catch (caught) {
          reject(caught);
        }
      };
      // An error thrown by `wait` rejects the promise.
      if (this.isTaken) return this.wait(sender, bytes, runNow);
      this.isTaken = true;
      this.clock.afterTurn(() => this.nextTurn());
      runNow();
    });
  }

  private wait(sender: string, bytes: number, run: () => void): void {
    const line = this.waiting.get(sender) ?? { calls: [], bytes: 0 };
    const { length } = line.calls;
    if (length > 0 && (length >= MAX_WAITING_CALLS || line.bytes + bytes > MOST_BYTES)) {
      const sentence = `Wait for answers first: ${length} calls of yours wait for their turns already.`;
      throw new Fault("rate_limit", sentence, { rule: "R34", retryAfterSeconds: 1 });
    }
    line.calls.push({ bytes, run });
    line.bytes += bytes;
    this.waiting.set(sender, line);
  }

  private nextTurn(): void {
    const [first] = this.waiting;
    this.isTaken = first !== undefined;
    if (first === undefined) return;
    const [sender, line] = first;
    this.clock.afterTurn(() => this.nextTurn());
    this.waiting.delete(sender);
    const call = line.calls.shift();
    line.bytes -= call?.bytes ?? 0;
    if (line.calls.length > 0) this.waiting.set(sender, line);
    call?.run();
  }
}
