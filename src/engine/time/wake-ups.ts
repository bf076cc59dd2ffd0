// One ordered queue of wake-ups for all budgets, holds and deadlines, so that one timer serves them all (R24).
import TinyQueue from "tinyqueue";
import type { Clock, Millis } from "../../contracts/clock.js";

/** Wake-ups for code that waits for an instant. */
export interface WakeUps {
  /** Calls `wake` once, at or after `at`. Returns the function that cancels it. */
  readonly at: (at: Millis, wake: (now: Millis) => void) => () => void;
}

/** Wake-ups that their owner advances: a clock, or a reader that replays the past. */
export interface WakeUpQueue extends WakeUps {
  /** Calls the wake-ups that are due, the earliest first, at most `mostCount`. An early call does nothing. */
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
    // Cancelled entries would wait for their time; they fill at most half of the queue.
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
