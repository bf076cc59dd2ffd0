// Gives costly unary calls turns of the event loop, like the messages of a stream (R28): one call a turn, sender by sender, so that a flood of
// calls delays only its sender.
import { Fault } from "../../../base/errors.js";
import { createSharedRoom } from "../../../base/shared-room.js";
import type { Clock } from "../../../contracts/clock.js";

/** Most waiting calls of one sender. */
export const MAX_WAITING_CALLS = 1024;
/** Most bytes of the requests that wait, of one sender and of all. One request of each sender may wait in any case. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_BYTES_IN_ALL = 32 * 1024 * 1024;

/**
 * Runs `call` at once if no other ran in this turn, else in a later one. `sender` identifies the line in which the call waits, `bytes` is the size of
 * its request. Rejects with the error of `call`, and with `rate_limit` if too many or too large calls of the sender wait. Keeps nothing of a call
 * that has run.
 */
export type CallTurns = <Answer>(sender: string, bytes: number, call: () => Answer) => Promise<Answer>;

interface Waiting {
  readonly bytes: number;
  readonly run: () => void;
}

interface Line {
  readonly calls: Waiting[];
  bytes: number;
}

export function createCallTurns(clock: Pick<Clock, "afterTurn">): CallTurns {
  /** The lines of the senders, in the order of the turns. */
  const waiting = new Map<string, Line>();
  const inAll = createSharedRoom(() => MOST_BYTES_IN_ALL);
  let isTaken = false;

  const add = (line: Line, bytes: number): void => {
    line.bytes += bytes;
    inAll.add(bytes);
  };

  const nextTurn = (): void => {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (first === undefined) return;
    const [sender, line] = first;
    clock.afterTurn(nextTurn);
    waiting.delete(sender);
    const call = line.calls.shift();
    if (call !== undefined) add(line, -call.bytes);
    if (line.calls.length > 0) waiting.set(sender, line);
    call?.run();
  };

  const wait = (sender: string, call: Waiting): void => {
    const line = waiting.get(sender) ?? { calls: [], bytes: 0 };
    const { length } = line.calls;
    const isRoom = length < MAX_WAITING_CALLS && line.bytes + call.bytes <= MOST_BYTES && inAll.isRoom(call.bytes);
    if (length > 0 && !isRoom) {
      const sentence = `Wait for answers first: ${length} calls of yours wait for their turns already.`;
      throw new Fault("rate_limit", sentence, { rule: "R28", retryAfterSeconds: 1 });
    }
    line.calls.push(call);
    add(line, call.bytes);
    waiting.set(sender, line);
  };

  return (sender, bytes, call) =>
    new Promise((resolve, reject) => {
      const run = (): void => {
        try {
          resolve(call());
        } catch (caught) {
          reject(caught);
        }
      };
      // An error thrown by `wait` rejects the promise.
      if (isTaken) return wait(sender, { bytes, run });
      isTaken = true;
      clock.afterTurn(nextTurn);
      run();
    });
}
