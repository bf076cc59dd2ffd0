// Gives costly unary calls turns of the event loop, like the messages of a stream (G2, R28): one call a turn, sender by sender, so that a flood of
// calls delays only its sender.
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";

/** Most waiting calls of one sender. */
export const MAX_WAITING_CALLS = 1024;

/**
 * Runs `call` at once if no other ran in this turn, else in a later one. `sender` identifies the line in which the call waits. Rejects with the error
 * of `call`, and with `rate_limit` if too many calls of the sender wait. Keeps nothing of a call that has run.
 */
export type CallTurns = <Answer>(sender: string, call: () => Answer) => Promise<Answer>;

export function createCallTurns(clock: Pick<Clock, "afterTurn">): CallTurns {
  /** Waiting calls of each sender, in the order of the turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  const nextTurn = (): void => {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (first === undefined) return;
    const [sender, calls] = first;
    clock.afterTurn(nextTurn);
    waiting.delete(sender);
    const call = calls.shift();
    if (calls.length > 0) waiting.set(sender, calls);
    call?.();
  };

  const wait = (sender: string, call: () => void): void => {
    const calls = waiting.get(sender);
    if (calls === undefined) waiting.set(sender, [call]);
    else if (calls.length < MAX_WAITING_CALLS) calls.push(call);
    else {
      const sentence = `Wait for answers first: ${MAX_WAITING_CALLS} calls of yours wait for their turns already.`;
      throw new Fault("rate_limit", sentence, { rule: "R28", retryAfterSeconds: 1 });
    }
  };

  return (sender, call) =>
    new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(call());
        } catch (caught) {
          reject(caught);
        }
      };
      // An error thrown by `wait` rejects the promise.
      if (isTaken) return wait(sender, run);
      isTaken = true;
      clock.afterTurn(nextTurn);
      run();
    });
}
