// Totals in the table `meta`. Every group writes them.
import type { Totals } from "../blocks/totals.js";
import { recordBytes } from "../blocks/totals.js";
import { seal, unseal } from "../checksums/sealed.js";
import type { Table, TableKey, Writes } from "./tables.js";

const KEY: TableKey = ["totals"];

/** Undefined in a new journal, and if the record is damaged. */
export function readTotals(table: Table): Totals | undefined {
  const bytes = table.get(KEY);
  const read = bytes === undefined ? undefined : unseal(bytes);
  return read?.kind === "whole" ? (read.value as Totals) : undefined;
}

export function writeTotals(totals: Totals, writes: Writes): void {
  writes.put("meta", KEY, seal(totals));
}

/** Counts the totals in the table of blocks, for a journal whose record of them is damaged. Undefined if the table is empty. */
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
