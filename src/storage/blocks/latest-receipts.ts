// The latest time at which a block was received. The block's stamp is that time, unless the clock on the wall was ahead when the block was written.
// Then the stamp of a later block decides, or, without one, the time at which this was noticed.
import type { Epoch } from "../../engine/event/event.js";
import type { BlockReader, LoadedBlock } from "./block-reader.js";

/** The latest time at which a block's newest event was received, ms since 1970, never later than now; 0 for a damaged block. */
export type LatestReceipts = (loaded: LoadedBlock) => Promise<number>;

export interface LatestReceiptsOptions {
  readonly reader: Pick<BlockReader, "load">;
  /** Now, ms since 1970. */
  readonly wallTime: () => number;
  /** The last epoch in any block. */
  readonly head: () => Epoch;
  /** Retention of an event, ms. */
  readonly retentionMs: () => number;
}

interface Bound {
  /** All epochs below were received at `at` or earlier. */
  readonly until: Epoch;
  readonly at: number;
}

/** The stamp of a block, if the block can be read. */
interface Stamp {
  readonly first: Epoch;
  readonly count: number;
  readonly at: number | undefined;
}

export function createLatestReceipts(options: LatestReceiptsOptions): LatestReceipts {
  const { reader, wallTime, head, retentionMs } = options;
  let known: Bound | undefined;
  // By epoch; only epochs after the block asked about last.
  const stamps = new Map<Epoch, Stamp>();

  const stampFrom = async (epoch: Epoch): Promise<Stamp | undefined> => {
    const seen = stamps.get(epoch);
    if (seen !== undefined) return seen;
    const found = await reader.load(epoch);
    if (found.kind !== "block") return undefined;
    const { block, first, count } = found.loaded;
    const stamp = { first, count, at: block?.wallTime(count - 1) };
    // The newest block is another one at the next call.
    if (epoch !== head()) stamps.set(epoch, stamp);
    return stamp;
  };

  /**
   * The first of some blocks, from an epoch on, whose stamp fits: the next block, blocks in ever longer steps after it, and the newest. Thousands of
   * blocks may be ahead of the clock. Steps lead to the same places wherever they begin, so a search reads few blocks again.
   */
  const find = async (from: Epoch, isSound: (at: number) => boolean): Promise<Bound | undefined> => {
    for (const epoch of stamps.keys()) if (epoch < from) stamps.delete(epoch);
    const last = head();
    let epoch = from;
    for (let step = 1; epoch <= last; step *= 2) {
      const stamp = await stampFrom(epoch);
      if (stamp === undefined) return undefined;
      const { first, count, at } = stamp;
      if (at !== undefined && isSound(at)) return { until: first, at };
      if (epoch === last) return undefined;
      epoch = Math.min(last, Math.max(first + count, Math.ceil((from + step) / step) * step));
    }
    return undefined;
  };

  return async ({ block, first, count }) => {
    const stamped = block?.wallTime(count - 1) ?? 0;
    const now = wallTime();
    const next = first + count;
    if (stamped > now) {
      if (known === undefined || first >= known.until || known.at > now)
        known = (await find(next, (at) => at <= now)) ?? { until: head() + 1, at: now };
      return known.at;
    }
    if (known !== undefined && first < known.until && known.at <= now) return Math.min(stamped, known.at);
    if (stamped === 0) return 0;
    // A stamp that the clock has passed looks sound. The stamp cannot have been ahead by more than the retention, because retention would have
    // removed the block before: so the clock was behind later.
    const earlier = await find(next, (at) => at < stamped && stamped - at <= retentionMs());
    if (earlier === undefined) return stamped;
    known = earlier;
    return earlier.at;
  };
}
