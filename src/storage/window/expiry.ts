// When retention lets go of the oldest blocks: with the next group if too many bytes are stored, and by a timer if a block has reached its age.
import type { Clock } from "../../contracts/clock.js";
import type { Epoch } from "../../engine/event/event.js";
import type { BlockReader } from "../blocks/block-reader.js";
import type { BlockPlace } from "../blocks/block-store.js";
import {
  dueAt,
  nextSlice,
  type OldestBlock,
  oldestBlock,
  type RetentionLimits,
  type Slice,
} from "../blocks/retention.js";
import type { Totals } from "../blocks/totals.js";

export interface Expiry {
  /** Looks for the oldest block of a store that was recovered. Comes before all other calls. */
  readonly look: () => void;
  /** Sets the timer. */
  readonly watch: () => void;
  /** The first epoch of the oldest block, and when that was received; undefined if no block is stored. */
  readonly oldest: () => { readonly first: Epoch; readonly oldestAt: number | undefined } | undefined;
  /** Calls `letGo` with the slice that is due, if any. `arriving` is the number of events in the next group. */
  readonly letGoOfDue: (arriving: number, letGo: (slice: Slice) => void) => void;
  /** A group is written whose blocks begin with this one, received between the two times; undefined for a group without blocks. */
  readonly written: (
    first: (BlockPlace & { readonly oldestAt: number; readonly newestAt: number }) | undefined,
  ) => void;
  readonly retain: (limits: RetentionLimits) => void;
  /** Cancels the timer. */
  readonly stop: () => void;
}

export interface ExpiryOptions {
  readonly reader: BlockReader;
  readonly clock: Clock;
  readonly limits: RetentionLimits;
  readonly totals: () => Totals;
  /** Called when a slice is due. */
  readonly due: () => void;
}

/** Time until retention tries again while the store reads nothing. */
const AGAIN_AFTER_MS = 1000;

export function createExpiry({ reader, clock, limits, totals, due }: ExpiryOptions): Expiry {
  let retention = limits;
  /** Kept between groups: reading the block costs as much as writing one. */
  let oldest: OldestBlock | undefined;
  /** Whether `oldest` is what the store has: not before a look has succeeded. */
  let isKnown = false;
  let cancelDue: (() => void) | undefined;
  let isStopped = false;

  const look = (): void => {
    const found = oldestBlock(reader, totals());
    if (found === "unreadable") return;
    isKnown = true;
    oldest = found === "none" ? undefined : found;
  };

  const isDue = (): boolean => oldest !== undefined && dueAt(oldest, totals(), retention) < clock.wallTime();

  /** Sets the timer. The clock on the wall may be set while it runs, so the time is judged again when it ends. */
  const wakeIn = (inMs: number): void => {
    cancelDue?.();
    cancelDue = isStopped ? undefined : clock.wakeAt(clock.now() + inMs, watch);
  };

  const watch = (): void => {
    cancelDue?.();
    cancelDue = undefined;
    if (isStopped) return;
    if (!isKnown || isDue()) due();
    else if (oldest !== undefined) wakeIn(dueAt(oldest, totals(), retention) - clock.wallTime() + 1);
  };

  return {
    look,
    watch,
    oldest: () => oldest,
    letGoOfDue: (arriving, letGo) => {
      if (!isKnown) look();
      if (isKnown && !isDue()) {
        if (cancelDue === undefined) watch();
        return;
      }
      const slice = nextSlice(reader, totals(), retention, clock.wallTime(), arriving);
      const next = slice.places.length === 0 ? "unreadable" : oldestBlock(reader, slice.totals);
      if (next === "unreadable") {
        wakeIn(AGAIN_AFTER_MS);
        return;
      }
      oldest = next === "none" ? undefined : next;
      letGo(slice);
    },
    written: (first) => {
      if (isKnown) oldest ??= first;
      watch();
    },
    retain: (next) => {
      retention = next;
      watch();
    },
    stop: () => {
      isStopped = true;
      cancelDue?.();
    },
  };
}
