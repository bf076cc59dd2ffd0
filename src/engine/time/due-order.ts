// Keys that wait for equal times come due in the order in which they began. One wake-up serves all of them, so that many keys that are due at one
// instant cost no more than one (R34).
import type { Millis } from "../../contracts/clock.js";
import type { WakeUps } from "./wake-ups.js";

export interface DueOrder {
  /** Starts the wait of a key, behind all others. A key that waits already starts again. */
  readonly add: (key: string) => void;
  readonly remove: (key: string) => void;
  /** The instant at which a waiting key is due; undefined for other keys. */
  readonly dueAt: (key: string) => Millis | undefined;
  /** Applies a new value of `delayMs`. */
  readonly delayChanged: () => void;
  /** Forgets all keys, and cancels the wake-up. */
  readonly close: () => void;
}

export interface DueOrderOptions {
  readonly now: () => Millis;
  readonly wakeUps: WakeUps;
  /** Length of the wait, in ms; 0: due at once. A new value applies to waiting keys too. */
  readonly delayMs: () => Millis;
  /** Does `work` for a due key when its turn comes. The next key waits for that. */
  readonly inTurn: (key: string, work: () => void) => void;
  /** Called with each key that is due and was not removed before its turn. May not throw. */
  readonly act: (key: string) => void;
}

export function createDueOrder({ now, wakeUps, delayMs, inTurn, act }: DueOrderOptions): DueOrder {
  // The instants at which keys began to wait, in order.
  const waiting = new Map<string, Millis>();
  let cancelWakeUp: (() => void) | undefined;
  let isTurnAwaited = false;

  const wait = (until: Millis): void => {
    cancelWakeUp = wakeUps.at(until, () => {
      cancelWakeUp = undefined;
      goOn();
    });
  };

  const goOn = (): void => {
    if (isTurnAwaited || cancelWakeUp !== undefined) return;
    const [first] = waiting;
    if (first === undefined) return;
    const [key, since] = first;
    const dueAt = since + delayMs();
    if (dueAt > now()) {
      wait(dueAt);
      return;
    }
    isTurnAwaited = true;
    inTurn(key, () => {
      isTurnAwaited = false;
      const isStillDue = waiting.get(key) === since && since + delayMs() <= now();
      if (isStillDue) waiting.delete(key);
      // `act` may add other keys, so the next wait begins first.
      goOn();
      if (isStillDue) act(key);
    });
  };

  const remove = (key: string): void => {
    if (waiting.delete(key) && waiting.size === 0) forgetWakeUp();
  };

  const forgetWakeUp = (): void => {
    cancelWakeUp?.();
    cancelWakeUp = undefined;
  };

  return {
    add: (key) => {
      remove(key);
      waiting.set(key, now());
      goOn();
    },
    remove,
    dueAt: (key) => {
      const since = waiting.get(key);
      return since === undefined ? undefined : since + delayMs();
    },
    delayChanged: () => {
      forgetWakeUp();
      goOn();
    },
    close: () => {
      waiting.clear();
      forgetWakeUp();
    },
  };
}
