// When a block was received at the latest. Its own stamp says so, unless the clock on the wall was ahead when it was written: then what came after it
// says more, and where nothing did, when that was noticed.
import type { Epoch } from "../../engine/event/event.js";
import type { BlockReader, LoadedBlock } from "./block-reader.js";

/** When the newest of a block was received at the latest, ms since 1970, never later than now; 0 where the block is damaged. */
export type LatestReceipts = (loaded: LoadedBlock) => number;

export interface LatestReceiptsOptions {
  readonly reader: Pick<BlockReader, "holding" | "nextFrom" | "load">;
  /** Now, ms since 1970. */
  readonly wallTime: () => number;
  /** The last epoch that stands in a block. */
  readonly head: () => Epoch;
  /** How long an event is kept, ms. */
  readonly retentionMs: () => number;
}

interface Bound {
  /** Everything below was received at `at` or earlier. */
  readonly until: Epoch;
  readonly at: number;
}

/** What a block says, as far as it can be read. */
interface Stamp {
  readonly first: Epoch;
  readonly count: number;
  readonly at: number | undefined;
}

export function createLatestReceipts(options: LatestReceiptsOptions): LatestReceipts {
  const { reader, wallTime, head, retentionMs } = options;
  let known: Bound | undefined;
  // By the epoch asked for; of what comes after the block asked about last.
  const stamps = new Map<Epoch, Stamp>();

  const stampFrom = (epoch: Epoch): Stamp | undefined => {
    const seen = stamps.get(epoch);
    if (seen !== undefined) return seen;
    const place = reader.holding(epoch) ?? reader.nextFrom(epoch);
    if (place === undefined) return undefined;
    const { block, first, count } = reader.load(place);
    const stamp = { first, count, at: block?.wallTime(count - 1) };
    // The newest is another one the next time.
    if (epoch !== head()) stamps.set(epoch, stamp);
    return stamp;
  };

  /**
   * The first block from an epoch on whose stamp is among those asked for: the next one, in ever longer steps after it, for there may be thousands
   * ahead of the clock, and the newest. Steps are taken to the same places from wherever they begin: so each search reads little anew.
   */
  const find = (from: Epoch, isSound: (at: number) => boolean): Bound | undefined => {
    for (const epoch of stamps.keys()) if (epoch < from) stamps.delete(epoch);
    const last = head();
    let epoch = from;
    for (let step = 1; epoch <= last; step *= 2) {
      const stamp = stampFrom(epoch);
      if (stamp === undefined) return undefined;
      const { first, count, at } = stamp;
      if (at !== undefined && isSound(at)) return { until: first, at };
      if (epoch === last) return undefined;
      epoch = Math.min(last, Math.max(first + count, Math.ceil((from + step) / step) * step));
    }
    return undefined;
  };

  return ({ block, first, count }) => {
    const stamped = block?.wallTime(count - 1) ?? 0;
    const now = wallTime();
    const next = first + count;
    if (stamped > now) {
      if (known === undefined || first >= known.until || known.at > now)
        known = find(next, (at) => at <= now) ?? { until: head() + 1, at: now };
      return known.at;
    }
    if (known !== undefined && first < known.until && known.at <= now) return Math.min(stamped, known.at);
    if (stamped === 0) return 0;
    // Once the clock has passed it a stamp looks sound. By more than the retention it was not ahead, or the block would have gone before that:
    // the clock was behind later.
    const earlier = find(next, (at) => at < stamped && stamped - at <= retentionMs());
    if (earlier === undefined) return stamped;
    known = earlier;
    return earlier.at;
  };
}
