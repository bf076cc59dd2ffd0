// Tells the Field what sessions of AAEP do, as a subscription of the daemon's own.
import type { Clock } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { Engine } from "../../engine/engine.js";
import { defaultTerms } from "../../protocols/aaep/subscriber/negotiate.js";
import type { Field } from "../../protocols/akashik/field/field.js";
import { fieldEventOf, HEARD_TYPES } from "./session-events.js";

export interface SessionFeedServices {
  readonly engine: Pick<Engine, "subscribe">;
  readonly field: Pick<Field, "settled" | "tell">;
  readonly clock: Pick<Clock, "afterCall" | "afterTurn">;
  readonly log: Pick<Log, "error">;
}

/** Starts the feed. Returns its end. */
export function feedSessions({ engine, field, clock, log }: SessionFeedServices): () => void {
  let isAwake = false;
  const wake = (): void => {
    if (isAwake) return;
    isAwake = true;
    clock.afterCall(() => void take());
  };
  const subscription = engine.subscribe({
    subscriberId: "aaepd-akashik",
    terms: { ...defaultTerms(), eventFilters: { include: HEARD_TYPES, exclude: [] } },
    resumeAfter: undefined,
    outlet: { wake, ended: (reason) => log.error({ reason }, "the Field hears no more of sessions") },
  });
  /** One batch a turn, which has at most 256 events (R34). */
  const take = async (): Promise<void> => {
    // The Field has told everything before, so no more waits in it than one batch.
    await field.settled();
    isAwake = false;
    const taken = subscription.take();
    if (taken.kind !== "batch") return;
    for (const { event } of taken.batch.deliveries) {
      const told = fieldEventOf(event);
      if (told !== undefined) field.tell(told);
    }
    if (!taken.isAll) {
      isAwake = true;
      clock.afterTurn(() => void take());
    }
  };
  wake();
  return () => subscription.close();
}
