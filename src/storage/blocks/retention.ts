// What the journal lets go of: whole blocks from its beginning, a few with each group, so that nobody ever waits for it.
import type { Evicted } from "../../engine/event/event.js";
import type { Writes } from "../lmdb/tables.js";
import { type BlockPlace, type BlockReader, blockKey } from "./block-reader.js";
import type { LatestReceipts } from "./latest-receipts.js";
import type { Totals } from "./totals.js";
import { recordBytes } from "./totals.js";

export interface RetentionLimits {
  /** How long an event is kept, ms. */
  readonly ageMs: number;
  /** How much all of them may take, bytes. */
  readonly bytes: number;
}

/** Blocks to be removed, and what is left without them. */
export interface Slice {
  readonly places: readonly BlockPlace[];
  readonly events: readonly Evicted[];
  readonly totals: Totals;
}

/** Events of one slice, beside those of its last block. As many again as the group brings, so that a flood is kept up with. */
export const SLICE_EVENTS = 512;
const SLICE_BLOCKS = 64;

/** What of the oldest block says whether it may stay. Looked up once, and not with every group: reading it costs as much as writing one. */
export interface OldestBlock extends BlockPlace {
  /** When the newest of it was received at the latest, ms since 1970; 0 where it is damaged: it may go. */
  readonly newestAt: number;
  /** The same of the first of it; undefined where it is damaged. */
  readonly oldestAt: number | undefined;
}

/** The block that goes next; undefined where there is none. */
export function oldestBlock(
  reader: BlockReader,
  { lostThrough }: Totals,
  receiptOf: LatestReceipts,
): OldestBlock | undefined {
  const place = reader.nextFrom(lostThrough + 1);
  if (place === undefined) return undefined;
  const loaded = reader.load(place);
  const { block, first, count } = loaded;
  return { first, count, newestAt: receiptOf(loaded), oldestAt: block?.wallTime(0) };
}

/** When it will be time for the next slice, ms since 1970; 0 where it is. */
export function dueAt(oldest: OldestBlock, totals: Totals, { ageMs, bytes }: RetentionLimits): number {
  return totals.bytes > bytes ? 0 : oldest.newestAt + ageMs;
}

/** The slice to go at `wallTime`. `arriving` is how many events the group brings. */
export function nextSlice(
  reader: BlockReader,
  totals: Totals,
  limits: RetentionLimits,
  receiptOf: LatestReceipts,
  wallTime: number,
  arriving: number,
): Slice {
  const places: BlockPlace[] = [];
  const events: Evicted[] = [];
  let left = totals;
  for (
    let place = reader.nextFrom(totals.lostThrough + 1);
    place !== undefined && events.length < SLICE_EVENTS + 2 * arriving && places.length < SLICE_BLOCKS + arriving;
    place = reader.nextFrom(place.first + place.count)
  ) {
    const loaded = reader.load(place);
    const { block, length, first, count } = loaded;
    if (left.bytes <= limits.bytes && receiptOf(loaded) >= wallTime - limits.ageMs) break;
    places.push({ first, count });
    // Of what is damaged nobody knows whose it was.
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

export function removeSlice({ places }: Slice, writes: Writes): void {
  for (const place of places) writes.remove("blocks", blockKey(place));
}
