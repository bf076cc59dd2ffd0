// Facts about the whole journal, known without a look into its blocks.
import type { Epoch } from "../../engine/event/event.js";

export interface Totals {
  /** Events that can be read. */
  readonly eventCount: number;
  /** Bytes of their blocks. */
  readonly bytes: number;
  /** The last epoch that was written. */
  readonly head: Epoch;
  /** The last epoch that retention let go of. Nothing at or below it can be read. */
  readonly lostThrough: Epoch;
}

const PAGE_BYTES = 4096;
/** A longer record has pages of its own. */
const LONGEST_INLINE_BYTES = 2000;
/** Overhead of a record: its node, its key, and free room in its page. */
const RECORD_BYTES = 40;

/** Bytes that a block of `length` bytes takes in a file of 4 KiB pages. */
export function recordBytes(length: number): number {
  return length <= LONGEST_INLINE_BYTES
    ? length + RECORD_BYTES
    : Math.ceil((length + 24) / PAGE_BYTES) * PAGE_BYTES + RECORD_BYTES;
}
