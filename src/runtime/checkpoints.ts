// When a subscription is told the place that it has reached: within a second after something was handed over and no more often, and after a while
// also where only what is kept back from it moved the place (R17). One clock for all pumps, and no timer of their own.
import type { Clock, Millis } from "../contracts/clock.js";

/** Between two checkpoints of one subscription, and from a hand-over to the next checkpoint at the latest. */
export const CHECKPOINT_EVERY_MS: Millis = 1000;
/** After so long a silence it is looked whether the place moved. */
export const QUIET_MS: Millis = 15_000;

export interface Checkpointed {
  /** It is time to tell the place. Called from the clock; must be cheap. */
  readonly tellPlace: () => void;
}

export interface Checkpoints {
  /** Something was handed over without a checkpoint. Said again before that was told, it changes nothing. */
  readonly owe: (one: Checkpointed) => void;
  /** The place was told, or looked at. */
  readonly told: (one: Checkpointed) => void;
  readonly forget: (one: Checkpointed) => void;
}

export function createCheckpoints(clock: Pick<Clock, "now" | "wakeAt">): Checkpoints {
  const owed = createDueList(clock, CHECKPOINT_EVERY_MS);
  const quiet = createDueList(clock, QUIET_MS);
  return {
    owe: (one) => {
      quiet.remove(one);
      owed.add(one);
    },
    told: (one) => {
      owed.remove(one);
      quiet.remove(one);
      quiet.add(one);
    },
    forget: (one) => {
      for (const list of [owed, quiet]) {
        list.remove(one);
        list.rest();
      }
    },
  };
}

interface DueList {
  readonly add: (one: Checkpointed) => void;
  readonly remove: (one: Checkpointed) => void;
  /** Lets go of the clock where nobody is left. */
  readonly rest: () => void;
}

/** All wait equally long, so who came first is due first. */
function createDueList(clock: Pick<Clock, "now" | "wakeAt">, afterMs: Millis): DueList {
  const dueAt = new Map<Checkpointed, Millis>();
  let cancel: (() => void) | undefined;

  const arm = (at: Millis): void => {
    cancel = clock.wakeAt(at, due);
  };

  const due = (): void => {
    cancel = undefined;
    const now = clock.now();
    for (const [one, at] of dueAt) {
      if (at > now) {
        arm(at);
        return;
      }
      dueAt.delete(one);
      one.tellPlace();
    }
  };

  return {
    add: (one) => {
      if (dueAt.has(one)) return;
      const at = clock.now() + afterMs;
      dueAt.set(one, at);
      if (cancel === undefined) arm(at);
    },
    remove: (one) => void dueAt.delete(one),
    rest: () => {
      if (dueAt.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
