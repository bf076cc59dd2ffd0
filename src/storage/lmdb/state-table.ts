// The table `state`: values beside events, by key.
import type { StateRecordKey, StateWrites } from "../blocks/block-store.js";
import type { Table, Writes } from "./tables.js";

/**
 * Most keys that one group looks up and removes, beside removals that have to be whole. A session may leave a hundred thousand keys, and the event
 * loop does not wait for all of them.
 */
const REMOVED_AT_ONCE = 512;

/** Adds `changes` to `writes`. Returns the prefixes of removals that are not whole yet. */
export function writeState(
  table: Table,
  { removals, puts }: StateWrites,
  writes: Writes,
  removedAtOnce: number = REMOVED_AT_ONCE,
): readonly StateRecordKey[] {
  const unfinished: StateRecordKey[] = [];
  let room = removedAtOnce;
  for (const { prefix, isWhole } of removals) {
    if (!isWhole && room <= 0) {
      unfinished.push(prefix);
      continue;
    }
    const keys = table.keys(isWhole ? { prefix } : { prefix, limit: room });
    if (!isWhole && keys.length === room) unfinished.push(prefix);
    // Looking up a prefix costs about as much as removing a key.
    room -= keys.length + 1;
    for (const key of keys) writes.remove("state", key);
  }
  for (const [key, value] of puts) {
    if (value === undefined) writes.remove("state", key);
    else writes.put("state", key, value);
  }
  return unfinished;
}
