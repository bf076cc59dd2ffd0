// The events of a group as blocks.
import type { JournaledEvent } from "../../engine/event/event.js";
import { BLOCK_HEAD_BYTES, blockBytesOf, FULL_BLOCK_BYTES, MOST_EVENTS_IN_BLOCK, writeBlock } from "./block.js";
import type { RawBlock } from "./block-store.js";

/** Packs `events`, which ascend by epoch, into blocks. Events whose epochs do not follow one another are in different blocks. */
export function packBlocks(events: readonly JournaledEvent[], wallTimeOffsetMs: number): readonly RawBlock[] {
  const packed: RawBlock[] = [];
  let start = 0;
  while (start < events.length) {
    const first = events[start]?.epoch ?? 0;
    let bytes = BLOCK_HEAD_BYTES;
    let end = start;
    while (end < events.length && end - start < MOST_EVENTS_IN_BLOCK && bytes < FULL_BLOCK_BYTES) {
      const event = events[end];
      if (event === undefined || event.epoch !== first + end - start) break;
      bytes += blockBytesOf(event);
      end += 1;
    }
    const target = Buffer.allocUnsafeSlow(bytes);
    const together = events.slice(start, end);
    const length = writeBlock(together, wallTimeOffsetMs, target, 0);
    packed.push({ first, count: end - start, bytes: target.subarray(0, length) });
    start = end;
  }
  return packed;
}
