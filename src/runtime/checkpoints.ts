// When a subscription is told the place that it has reached: within a second after something was handed over and no more often, and after a while
// also where only what is kept back from it moved the place (R17). One clock for all pumps, and no timer of their own.
import type { Clock, Millis } from "../contracts/clock.js";

/** Between two checkpoints of one subscription, and from a hand-over to the next checkpoint at the latest. */
export const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After so long without a checkpoint it is looked whether the place moved. */
export const QUIET_MS: Millis = 15_000;

export interface Checkpointed {
  /** When the place was told or looked at last. */
  readonly toldAt: () => Millis;
  /** It is time to tell the place. Called from the clock; must be cheap. */
  readonly tellPlace: () => void;
}

export interface Checkpoints {
  /** From now on it is looked now and then whether the place moved. Said again, it changes nothing. */
  readonly join: (one: Checkpointed) => void;
  /** Something was handed over without a checkpoint. Said again before that was told, it changes nothing. */
  readonly owe: (one: Checkpointed) => void;
  /** The place was told, and nothing is owed. */
  readonly told: (one: Checkpointed) => void;
  readonly leave: (one: Checkpointed) => void;
}

export function createCheckpoints(clock: Pick<Clock, "now" | "wakeAt">): Checkpoints {
  const joined = new Set<Checkpointed>();
  // All wait equally long, so who came first is due first.
  const owed = new Map<Checkpointed, Millis>();
  let cancelOwed: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;

  const tellOwed = (): void => {
    cancelOwed = undefined;
    const now = clock.now();
    for (const [one, at] of owed) {
      if (at > now) {
        cancelOwed = clock.wakeAt(at, tellOwed);
        return;
      }
      owed.delete(one);
      one.tellPlace();
    }
  };

  const look = (): void => {
    const now = clock.now();
    cancelLook = clock.wakeAt(now + QUIET_MS, look);
    for (const one of joined) if (now - one.toldAt() >= QUIET_MS) one.tellPlace();
  };

  return {
    join: (one) => {
      joined.add(one);
      cancelLook ??= clock.wakeAt(clock.now() + QUIET_MS, look);
    },
    owe: (one) => {
      if (owed.has(one)) return;
      const at = clock.now() + CHECKPOINT_EVERY_MS;
      owed.set(one, at);
      cancelOwed ??= clock.wakeAt(at, tellOwed);
    },
    told: (one) => void owed.delete(one),
    leave: (one) => {
      joined.delete(one);
      owed.delete(one);
      if (joined.size + owed.size > 0) return;
      cancelOwed?.();
      cancelLook?.();
      cancelOwed = undefined;
      cancelLook = undefined;
    },
  };
}
