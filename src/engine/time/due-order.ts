// Keys that wait for the same length of time come due in the order in which they began: one wake-up serves all of them, so that many that are due in
// one moment cost no more than one there (R34).
import type { Millis } from "../../contracts/clock.js";
import type { WakeUps } from "./wake-ups.js";

export interface DueOrder {
  /** A key begins to wait, behind all others; one that waits already begins anew. */
  readonly add: (key: string) => void;
  readonly remove: (key: string) => void;
  /** When a key that waits is due. */
  readonly dueAt: (key: string) => Millis | undefined;
  /** What `delayMs` answers has changed. */
  readonly delayChanged: () => void;
  /** Forgets all of them, and lets go of the clock. */
  readonly close: () => void;
}

export interface DueOrderOptions {
  readonly now: () => Millis;
  readonly wakeUps: WakeUps;
  /** How long each waits. 0: each is due at once. Where that changes, it does for those that wait too. */
  readonly delayMs: () => Millis;
  /** Does `work` for a key that is due when its turn comes. The next key is put in only then. */
  readonly inTurn: (key: string, work: () => void) => void;
  /** Told of each key that is due and was not removed before its turn. May not throw. */
  readonly act: (key: string) => void;
}

export function createDueOrder({ now, wakeUps, delayMs, inTurn, act }: DueOrderOptions): DueOrder {
  // Since when, in the order in which they are due.
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
      // Before it is acted on: that may put in others.
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
