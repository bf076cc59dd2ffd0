// When a subscription is told the place that it has reached: within a second after something was handed over and no more often, and after a while
// also where only what is kept back from it moved the place (R17). One clock for all pumps, and no timer of their own.
import type { Clock, Millis } from "../contracts/clock.js";

/** Between two checkpoints of one subscription, and from a hand-over to the next checkpoint at the latest. */
export const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After so long without a checkpoint the daemon looks whether the place moved. */
export const QUIET_MS: Millis = 15_000;
/** So many are told in one turn; the others follow in turns of their own (R34). */
const MOST_IN_A_TURN = 256;

export interface Checkpointed {
  /** It is time to tell the place. Called from the clock; must be cheap. */
  readonly tellPlace: () => void;
}

export interface Checkpoints {
  /** Something was handed over without a checkpoint. Said again before that was told, it changes nothing. */
  readonly schedule: (one: Checkpointed) => void;
  /** The place was told or looked at: nothing is owed, and the next look comes after `QUIET_MS`. */
  readonly told: (one: Checkpointed) => void;
  readonly leave: (one: Checkpointed) => void;
}

export function createCheckpoints(clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">): Checkpoints {
  const owed = createQueue(clock, CHECKPOINT_EVERY_MS);
  const quiet = createQueue(clock, QUIET_MS);
  return {
    schedule: (one) => {
      if (!owed.has(one)) owed.enter(one);
    },
    told: (one) => {
      owed.leave(one);
      quiet.leave(one);
      quiet.enter(one);
    },
    leave: (one) => {
      owed.leave(one);
      quiet.leave(one);
    },
  };
}

interface Queue {
  readonly has: (one: Checkpointed) => boolean;
  readonly enter: (one: Checkpointed) => void;
  readonly leave: (one: Checkpointed) => void;
}

/** All wait equally long, so the first that came is the first that is due. */
function createQueue(clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">, waitMs: Millis): Queue {
  const dueAt = new Map<Checkpointed, Millis>();
  let cancel: (() => void) | undefined;

  const goOnLater = (): (() => void) => {
    let isCancelled = false;
    clock.afterTurn(() => {
      if (!isCancelled) tellDue();
    });
    return () => {
      isCancelled = true;
    };
  };

  const tellDue = (): void => {
    cancel = undefined;
    const now = clock.now();
    let left = MOST_IN_A_TURN;
    for (const [one, at] of dueAt) {
      if (at > now || left === 0) {
        cancel = at > now ? clock.wakeAt(at, tellDue) : goOnLater();
        return;
      }
      left -= 1;
      dueAt.delete(one);
      one.tellPlace();
    }
  };

  return {
    has: (one) => dueAt.has(one),
    enter: (one) => {
      const at = clock.now() + waitMs;
      dueAt.set(one, at);
      cancel ??= clock.wakeAt(at, tellDue);
    },
    leave: (one) => {
      if (!dueAt.delete(one) || dueAt.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
