// Retention removes whole blocks from the beginning of the journal, a few with each group, so that no publisher waits for it: with the next group if
// too many bytes are stored, and by a timer if the oldest block has reached its age.
import type { Clock } from "../../contracts/clock.js";
import type { Epoch } from "../../engine/event/event.js";
import type { BlockReader, LoadedBlock } from "../blocks/block-reader.js";
import type { BlockPlace } from "../blocks/block-store.js";
import { recordBytes, type Totals } from "../blocks/totals.js";

export interface RetentionLimits {
  /** How long an event is kept, ms. */
  readonly ageMs: number;
  /** Most bytes of all blocks. */
  readonly bytes: number;
}

/** Blocks to be removed, and the totals without them. */
export interface Slice {
  readonly places: readonly BlockPlace[];
  readonly totals: Totals;
}

export interface ExpiryOptions {
  readonly reader: Pick<BlockReader, "load">;
  readonly clock: Clock;
  readonly limits: RetentionLimits;
  readonly totals: () => Totals;
  /** Called when a slice is due. */
  readonly due: () => void;
}

/** Events of one slice, besides the rest of its last block. The slice has as many again as the group brings, so that it keeps up with a flood. */
export const SLICE_EVENTS = 512;
const SLICE_BLOCKS = 64;
/** Time until retention tries again while the store reads nothing. */
const AGAIN_AFTER_MS = 1000;

/** The facts by which the oldest block stays or goes. They are looked up once: reading a block costs as much as writing one. */
interface OldestBlock {
  readonly first: Epoch;
  /** Receipt of its newest event, ms since 1970; 0 for a damaged block, which may go. */
  readonly newestAt: number;
  /** Receipt of its first event, ms since 1970; undefined for a damaged block. */
  readonly oldestAt: number | undefined;
}

function newestAt({ block, count }: LoadedBlock): number {
  return block?.wallTime(count - 1) ?? 0;
}

export class Expiry {
  private readonly options: ExpiryOptions;
  private limits: RetentionLimits;
  /** "unknown" until a look has succeeded, and after the store was found empty. */
  private known: OldestBlock | "none" | "unknown" = "unknown";
  private cancelDue: (() => void) | undefined;
  private isStopped = false;

  constructor(options: ExpiryOptions) {
    this.options = options;
    this.limits = options.limits;
  }

  /** The first epoch of the oldest block, and when that was received; undefined if no block is stored, or none can be read. */
  oldest(): OldestBlock | undefined {
    if (this.known === "unknown") this.look();
    return typeof this.known === "string" ? undefined : this.known;
  }

  /** Sets the timer. */
  watch(): void {
    this.cancelDue?.();
    this.cancelDue = undefined;
    if (this.isStopped) return;
    const oldest = this.oldest();
    if (this.known === "unknown" || this.isDue(oldest)) this.options.due();
    else if (oldest !== undefined) this.wakeIn(this.dueAt(oldest) - this.options.clock.wallTime() + 1);
  }

  /** The slice that is due, if any. `arriving` is the number of events in the next group. */
  dueSlice(arriving: number): Slice | undefined {
    const oldest = this.oldest();
    if (this.known !== "unknown" && !this.isDue(oldest)) {
      if (this.cancelDue === undefined) this.watch();
      return undefined;
    }
    const slice = this.nextSlice(arriving);
    if (slice.places.length === 0) {
      this.wakeIn(AGAIN_AFTER_MS);
      return undefined;
    }
    return slice;
  }

  /** A slice was let go of, or a group was written. */
  changed(isSlice: boolean): void {
    if (isSlice || this.known === "none") this.known = "unknown";
    if (!isSlice) this.watch();
  }

  retain(limits: RetentionLimits): void {
    this.limits = limits;
    this.watch();
  }

  /** Cancels the timer. */
  stop(): void {
    this.isStopped = true;
    this.cancelDue?.();
  }

  private look(): void {
    const found = this.options.reader.load(this.options.totals().lostThrough + 1);
    if (found === "unreadable") return;
    this.known =
      found === "none" ? "none" : { first: found.first, newestAt: newestAt(found), oldestAt: found.block?.wallTime(0) };
  }

  /** ms since 1970; 0 for at once. */
  private dueAt(oldest: OldestBlock): number {
    return this.options.totals().bytes > this.limits.bytes ? 0 : oldest.newestAt + this.limits.ageMs;
  }

  private isDue(oldest: OldestBlock | undefined): boolean {
    return oldest !== undefined && this.dueAt(oldest) < this.options.clock.wallTime();
  }

  /** The clock on the wall may be set while the timer runs, so the time is judged again when it ends. */
  private wakeIn(inMs: number): void {
    const { clock } = this.options;
    this.cancelDue?.();
    this.cancelDue = this.isStopped ? undefined : clock.wakeAt(clock.now() + inMs, () => this.watch());
  }

  private nextSlice(arriving: number): Slice {
    const { reader, clock, totals } = this.options;
    const places: BlockPlace[] = [];
    let eventCount = 0;
    let left = totals();
    while (eventCount < SLICE_EVENTS + 2 * arriving && places.length < SLICE_BLOCKS + arriving) {
      const found = reader.load(left.lostThrough + 1);
      if (found === "none" || found === "unreadable") break;
      const { length, first, count } = found;
      if (left.bytes <= this.limits.bytes && newestAt(found) >= clock.wallTime() - this.limits.ageMs) break;
      places.push({ first, count });
      eventCount += count;
      left = {
        ...left,
        eventCount: Math.max(0, left.eventCount - count),
        bytes: Math.max(0, left.bytes - recordBytes(length)),
        lostThrough: first + count - 1,
      };
    }
    return { places, totals: left };
  }
}
