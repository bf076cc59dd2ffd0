// Times of the checkpoints: a subscription receives its place within a second after a hand-over, at most once a second, and after a while also if
// only held-back events moved the place (R17). All pumps share one clock and have no timer of their own.
import type { Clock, Millis } from "../contracts/clock.js";

/** The shortest time between two checkpoints of one subscription, and the longest from a hand-over to the next checkpoint. */
export const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After this time without a checkpoint the daemon checks whether the place moved. */
const QUIET_MS: Millis = 15_000;
/** Places reported in one turn; the others follow in later turns (R34). */
const MOST_IN_A_TURN = 256;

export interface Checkpointed {
  /** Called by the timer when it is time to report the place. Must be cheap. */
  readonly tellPlace: () => void;
}

export interface Checkpoints {
  /** Reports a hand-over without a checkpoint. A second call before that checkpoint changes nothing. */
  readonly schedule: (one: Checkpointed) => void;
  /** Reports that the place was sent or checked: no checkpoint is due, and the next check follows after `QUIET_MS`. */
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

/** A queue in which all entries wait equally long, so the first entry is the first that is due. */
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
