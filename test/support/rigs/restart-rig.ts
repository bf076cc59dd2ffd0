// Engines one after another over one disk: each is killed, or stops in order, before the next begins.

import { createKeptDisk, type DurableRing, type KeptDisk } from "./durable-ring.js";
import { createEngineRig, type EngineRig, type RigOptions } from "./engine-rig.js";
import { createVirtualClock } from "./virtual-clock.js";

export interface Run extends EngineRig {
  readonly journal: DurableRing;
  /** Writes what is owed, and lets those who waited for it hear of it. */
  readonly flush: () => Promise<void>;
}

export interface Runs {
  readonly disk: KeptDisk;
  /** Begins a run `awayMs` after the last one ended, by the clock on the wall; what that had not flushed is lost. */
  readonly start: (awayMs?: number, options?: RigOptions) => Run;
}

/** Ids that one run may give out. */
const IDS_PER_RUN = 1_000_000;

export function createRuns(): Runs {
  const disk = createKeptDisk();
  let runCount = 0;
  let before: Run | undefined;
  return {
    disk,
    start: (awayMs = 100, options = {}) => {
      const clock = createVirtualClock(before === undefined ? undefined : before.clock.wallTime() + awayMs);
      let journal: DurableRing | undefined;
      const rig = createEngineRig({
        clock,
        idsBefore: runCount * IDS_PER_RUN,
        openJournal: () => {
          journal = disk.open(clock);
          return journal;
        },
        ...options,
      });
      runCount += 1;
      if (journal === undefined) throw new Error("the engine opened no journal");
      const open = journal;
      clock.settle();
      const run: Run = {
        ...rig,
        journal: open,
        flush: async () => {
          open.flush();
          await told();
          clock.settle();
        },
      };
      before = run;
      return run;
    },
  };
}

/** Lets everybody who waits for a promise that has settled hear of it. */
export async function told(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
