// When a block was received at the latest. Its own stamp says so, unless the clock on the wall was ahead of the present time when it was written:
// then what came after it says more, and where nothing did, when that was noticed.
import type { Epoch } from "../engine/event.js";
import type { BlockReader, LoadedBlock } from "./block-reader.js";

/** When the newest of a block was received at the latest, ms since 1970, never later than now; 0 where the block is damaged. */
export type LatestReceipts = (loaded: LoadedBlock) => number;

export interface LatestReceiptsOptions {
  readonly reader: Pick<BlockReader, "holding" | "nextFrom" | "load">;
  /** Now, ms since 1970. */
  readonly wallTime: () => number;
  /** The last epoch that stands in a block. */
  readonly head: () => Epoch;
}

interface Bound {
  /** Everything below was received at `at` or earlier. */
  readonly until: Epoch;
  readonly at: number;
}

export function createLatestReceipts({ reader, wallTime, head }: LatestReceiptsOptions): LatestReceipts {
  let known: Bound | undefined;

  /** The first block of sound time that is found, in ever longer steps: there may be thousands ahead of the clock. */
  const find = (from: Epoch, now: number): Bound => {
    let epoch = from;
    for (let step = 1; ; step *= 2) {
      const place = reader.holding(epoch) ?? reader.nextFrom(epoch);
      if (place === undefined) return { until: head() + 1, at: now };
      const { block, first, count } = reader.load(place);
      const at = block?.wallTime(count - 1);
      if (at !== undefined && at <= now) return { until: first, at };
      epoch = Math.max(first + count, from + step);
    }
  };

  return ({ block, first, count }) => {
    const stamped = block?.wallTime(count - 1) ?? 0;
    const now = wallTime();
    if (stamped <= now) return stamped;
    if (known === undefined || first >= known.until || known.at > now) known = find(first + count, now);
    return known.at;
  };
}
