// Costly calls that are answered once take turns, as messages of a stream do (G2, R28): one a turn of the event loop, each sender in its turn, so
// that a flood of them holds up nobody but its sender.
import { Fault } from "../../../base/errors.js";
import type { Clock } from "../../../contracts/clock.js";

/** Calls of one sender that may wait for their turns. */
export const MAX_WAITING_CALLS = 1024;

/**
 * Runs `call` at once where no other was run in this turn, else in a later one. `sender` is whose turn it takes. Rejects with what it throws, and
 * with `rate_limit` where too many of its sender's wait already. Of a call that was run nothing is kept.
 */
export type CallTurns = <Answer>(sender: string, call: () => Answer) => Promise<Answer>;

export function createCallTurns(clock: Pick<Clock, "afterTurn">): CallTurns {
  /** Of each sender that waits; in the order of their turns. */
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
      // What is thrown here is what the promise is rejected with.
      if (isTaken) return wait(sender, run);
      isTaken = true;
      clock.afterTurn(nextTurn);
      run();
    });
}
