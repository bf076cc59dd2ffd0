// Retention removes whole blocks from the beginning of the journal, a few with each group, so that no publisher waits for it.
import type { Evicted } from "../../engine/event/event.js";
import type { BlockReader, LoadedBlock } from "./block-reader.js";
import type { BlockPlace } from "./block-store.js";
import { recordBytes, type Totals } from "./totals.js";

export interface RetentionLimits {
  /** How long an event is kept, ms. */
  readonly ageMs: number;
  /** Most bytes of all blocks. */
  readonly bytes: number;
}

/** Blocks to be removed, and the totals without them. */
export interface Slice {
  readonly places: readonly BlockPlace[];
  readonly events: readonly Evicted[];
  readonly totals: Totals;
}

/** Events of one slice, besides the rest of its last block. The slice has as many again as the group brings, so that it keeps up with a flood. */
export const SLICE_EVENTS = 512;
const SLICE_BLOCKS = 64;

/** The facts by which the oldest block stays or goes. They are looked up once: reading a block costs as much as writing one. */
export interface OldestBlock extends BlockPlace {
  /** Receipt of its newest event, ms since 1970; 0 for a damaged block, which may go. */
  readonly newestAt: number;
  /** Receipt of its first event, ms since 1970; undefined for a damaged block. */
  readonly oldestAt: number | undefined;
}

/** The block that goes next; "none" in an empty store. */
export function oldestBlock(
  reader: Pick<BlockReader, "load">,
  { lostThrough }: Totals,
): OldestBlock | "none" | "unreadable" {
  const found = reader.load(lostThrough + 1);
  if (found === "none" || found === "unreadable") return found;
  const { block, first, count } = found;
  return { first, count, newestAt: newestAt(found), oldestAt: block?.wallTime(0) };
}

function newestAt({ block, count }: LoadedBlock): number {
  return block?.wallTime(count - 1) ?? 0;
}

/** The time at which the next slice is due, ms since 1970; 0 for at once. */
export function dueAt(oldest: OldestBlock, totals: Totals, { ageMs, bytes }: RetentionLimits): number {
  return totals.bytes > bytes ? 0 : oldest.newestAt + ageMs;
}

/** The slice to go at `wallTime`. `arriving` is the number of events in the group. */
export function nextSlice(
  reader: Pick<BlockReader, "load">,
  totals: Totals,
  limits: RetentionLimits,
  wallTime: number,
  arriving: number,
): Slice {
  const places: BlockPlace[] = [];
  const events: Evicted[] = [];
  let left = totals;
  while (events.length < SLICE_EVENTS + 2 * arriving && places.length < SLICE_BLOCKS + arriving) {
    const found = reader.load(left.lostThrough + 1);
    if (found === "none" || found === "unreadable") break;
    const { block, length, first, count } = found;
    if (left.bytes <= limits.bytes && newestAt(found) >= wallTime - limits.ageMs) break;
    places.push({ first, count });
    // The sessions of events in a damaged block are unknown.
    for (let index = 0; block !== undefined && index < count; index += 1) {
      const { epoch, sessionId, ordinal } = block.facts(index);
      events.push({ epoch, sessionId, ordinal });
    }
    left = {
      ...left,
      eventCount: Math.max(0, left.eventCount - count),
      bytes: Math.max(0, left.bytes - recordBytes(length)),
      lostThrough: first + count - 1,
    };
  }
  return { places, events, totals: left };
}
