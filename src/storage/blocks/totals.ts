// What is known of the whole journal without reading it, written with every group.
import type { Epoch } from "../../engine/event/event.js";
import { seal, unseal } from "../lmdb/sealed.js";
import type { Table, TableKey, Writes } from "../lmdb/tables.js";

export interface Totals {
  /** Events that can be read. */
  readonly eventCount: number;
  /** What their blocks take, bytes. */
  readonly bytes: number;
  /** The last epoch that was written. */
  readonly head: Epoch;
  /** The last epoch of what was let go of; below that nothing can be read. */
  readonly lostThrough: Epoch;
}

const KEY: TableKey = ["totals"];

/** Undefined where there are none yet, or they are damaged. */
export function readTotals(table: Table): Totals | undefined {
  const bytes = table.get(KEY);
  const read = bytes === undefined ? undefined : unseal(bytes);
  return read?.kind === "whole" ? (read.value as Totals) : undefined;
}

export function writeTotals(totals: Totals, writes: Writes): void {
  writes.put("meta", KEY, seal(totals));
}

const PAGE_BYTES = 4096;
/** A record above this has pages of its own. */
const LONGEST_INLINE_BYTES = 2000;
/** Of a record: its node, its key, and what stays free in a page. */
const RECORD_BYTES = 40;

/** What a block of `length` bytes takes in the file. */
export function recordBytes(length: number): number {
  return length <= LONGEST_INLINE_BYTES
    ? length + RECORD_BYTES
    : Math.ceil((length + 24) / PAGE_BYTES) * PAGE_BYTES + RECORD_BYTES;
}

/** The totals by what stands in the table of blocks, where those that were written are damaged. Undefined where nothing does. */
export function countedTotals(blocks: Table): Totals | undefined {
  let totals: Totals | undefined;
  for (const { key, value } of blocks.entries({})) {
    const [first, count] = key.map(Number) as [number, number];
    totals = {
      eventCount: (totals?.eventCount ?? 0) + count,
      bytes: (totals?.bytes ?? 0) + recordBytes(value.length),
      head: first + count - 1,
      lostThrough: totals?.lostThrough ?? first - 1,
    };
  }
  return totals;
}
