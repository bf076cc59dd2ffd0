// Costly calls that are answered once take turns, as messages of a stream do (G2, R28): one a turn of the event loop, each sender in its turn, so
// that a flood of them holds up nobody but its sender.
import type { Clock } from "../../contracts/clock.js";

/** Runs `call` at once where no other was run in this turn, else in a later one. `sender` is whose turn it takes. Rejects with what it throws. */
export type CallTurns = <Answer>(sender: string, call: () => Answer) => Promise<Answer>;

interface Queue {
  readonly calls: (() => void)[];
  next: number;
}

export function createCallTurns(clock: Pick<Clock, "afterTurn">): CallTurns {
  /** In the order of their turns. */
  const waiting = new Map<string, Queue>();
  let isTaken = false;

  const nextTurn = (): void => {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (first === undefined) return;
    const [sender, queue] = first;
    clock.afterTurn(nextTurn);
    waiting.delete(sender);
    const call = queue.calls[queue.next];
    queue.next += 1;
    if (queue.next < queue.calls.length) waiting.set(sender, queue);
    call?.();
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
      if (isTaken) {
        const queue = waiting.get(sender);
        if (queue === undefined) waiting.set(sender, { calls: [run], next: 0 });
        else queue.calls.push(run);
        return;
      }
      isTaken = true;
      clock.afterTurn(nextTurn);
      run();
    });
}
