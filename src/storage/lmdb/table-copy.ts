// Copies records from one data file to another in slices, so that no turn of the event loop is long (R34).
import { TABLE_NAMES, type TableKey, type TableName, type Tables, type Writes } from "./tables.js";

/** Writes one slice. */
export type WriteSlice = (work: (writes: Writes) => void) => Promise<void>;

/** The place of a record in a file. */
export interface RecordPlace {
  readonly table: TableName;
  readonly key: TableKey;
}

/** A slice of these bytes costs a turn about a millisecond. */
const SLICE_BYTES = 512 * 1024;
const SLICE_RECORDS = 512;

/** Copies all tables, each ascending by key. Changes of `from` meanwhile may be missing. `write` rejects to end the copy. */
export async function copyTables(from: Tables, write: WriteSlice): Promise<void> {
  for (const table of TABLE_NAMES) {
    let last: TableKey | undefined;
    for (;;) {
      const slice = sliceAfter(from, table, last);
      const end = slice.at(-1);
      if (end === undefined) break;
      await write((writes) => {
        for (const { key, value } of slice) writes.put(table, key, value);
      });
      last = end.key;
    }
  }
}

/** Copies the present values at these places. A place without a value is emptied. */
export async function copyPlaces(from: Tables, places: readonly RecordPlace[], write: WriteSlice): Promise<void> {
  let next = 0;
  while (next < places.length) {
    const slice: (RecordPlace & { readonly value: Buffer | undefined })[] = [];
    for (let bytes = 0; next < places.length && bytes < SLICE_BYTES && slice.length < SLICE_RECORDS; next += 1) {
      const place = places[next];
      if (place === undefined) break;
      const value = from[place.table].get(place.key);
      bytes += value?.length ?? 0;
      slice.push({ ...place, value });
    }
    await write((writes) => {
      for (const { table, key, value } of slice) {
        if (value === undefined) writes.remove(table, key);
        else writes.put(table, key, value);
      }
    });
  }
}

function sliceAfter(from: Tables, table: TableName, last: TableKey | undefined) {
  const slice: { readonly key: TableKey; readonly value: Buffer }[] = [];
  let bytes = 0;
  for (const entry of from[table].entries({ from: last })) {
    if (last !== undefined && isSameKey(entry.key, last)) continue;
    slice.push(entry);
    bytes += entry.value.length;
    if (bytes >= SLICE_BYTES || slice.length >= SLICE_RECORDS) break;
  }
  return slice;
}

function isSameKey(one: TableKey, other: TableKey): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}
