// One ordered set of wake-ups for every budget, hold and deadline, so that one timer serves them all (R24).
import TinyQueue from "tinyqueue";
import type { Clock, Millis } from "../../contracts/clock.js";

/** What those that wait for a time need. */
export interface WakeUps {
  /** Calls `wake` once at or after `at`. Answers the cancellation. */
  readonly at: (at: Millis, wake: (now: Millis) => void) => () => void;
}

/** Wake-ups that are run by whoever owns them: a clock, or a reader that replays the past. */
export interface WakeUpQueue extends WakeUps {
  /** Runs what is due, earliest first, and at most so many. Calling it too often is harmless. */
  readonly advance: (now: Millis, mostCount?: number) => void;
  readonly next: () => Millis | undefined;
  readonly pending: () => number;
}

interface Entry {
  readonly at: Millis;
  readonly order: number;
  wake: ((now: Millis) => void) | undefined;
}

export function createWakeUps(): WakeUpQueue {
  const queue = new TinyQueue<Entry>([], (a, b) => a.at - b.at || a.order - b.order);
  let order = 0;
  let cancelled = 0;
  const dropCancelled = (): void => {
    for (let head = queue.peek(); head !== undefined && head.wake === undefined; head = queue.peek()) {
      queue.pop();
      cancelled -= 1;
    }
  };
  const compact = (): void => {
    // Cancelled entries would otherwise wait for their time; half of the queue is the most they may fill.
    if (cancelled < 64 || cancelled * 2 < queue.length) return;
    const live = queue.data.filter((entry) => entry.wake !== undefined);
    queue.data.length = 0;
    queue.length = 0;
    cancelled = 0;
    for (const entry of live) queue.push(entry);
  };
  return {
    at: (at, wake) => {
      order += 1;
      const entry: Entry = { at, order, wake };
      queue.push(entry);
      return () => {
        if (entry.wake === undefined) return;
        entry.wake = undefined;
        cancelled += 1;
        compact();
      };
    },
    advance: (now, mostCount = Number.POSITIVE_INFINITY) => {
      for (let count = 0; count < mostCount; count += 1) {
        dropCancelled();
        const head = queue.peek();
        if (head === undefined || head.at > now) return;
        queue.pop();
        const { wake } = head;
        head.wake = undefined;
        wake?.(now);
      }
    },
    next: () => {
      dropCancelled();
      return queue.peek()?.at;
    },
    pending: () => queue.length - cancelled,
  };
}

/** A clock's wake-ups. */
export function wakeUpsOf(clock: Pick<Clock, "now" | "wakeAt">): WakeUps {
  return { at: (at, wake) => clock.wakeAt(at, () => wake(clock.now())) };
}
