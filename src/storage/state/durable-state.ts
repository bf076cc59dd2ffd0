// What the engine keeps beside events, until it is written. Values are asked for at the last moment, so a session that changes with every event
// costs one value a group.
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { seal, unseal } from "../lmdb/sealed.js";
import type { Table, TableKey, Writes } from "../lmdb/tables.js";
import { createKeyTree, type KeyTree } from "./key-tree.js";
import { tableKeyOf } from "./state-keys.js";

/** What changed, for one group: what is removed as a whole, and after that what was put. */
export interface StateChanges {
  readonly puts: KeyTree<() => unknown>;
  readonly removals: KeyTree<true>;
  /** What is removed as a whole and could not be all of it in this group. Set when it is written. */
  unfinished: readonly TableKey[];
}

export interface PendingState {
  readonly durableState: DurableState;
  /** What changed since the last call; undefined where nothing did. It belongs to the caller, who says how it went. */
  readonly take: () => StateChanges | undefined;
  readonly write: (changes: StateChanges, writes: Writes) => void;
  /** It is written: what is unfinished goes on with the next group. */
  readonly written: (changes: StateChanges) => void;
  /** Of changes that could not be written, what nothing newer stands for is to be written again. */
  readonly giveBack: (changes: StateChanges) => void;
}

/**
 * Keys that are looked up and removed with one group, beside those that something is put under. A session may leave a hundred thousand behind, and
 * nobody is to wait while they go.
 */
const REMOVED_AT_ONCE = 512;

function noChanges(): StateChanges {
  return { puts: createKeyTree(), removals: createKeyTree(), unfinished: [] };
}

/** `changed` is called with each change. `damaged` is told of what cannot be read back. */
export function createPendingState(
  table: Table,
  log: Log,
  changed: () => void,
  damaged: (key: TableKey) => void,
  removedAtOnce: number = REMOVED_AT_ONCE,
): PendingState {
  let gathered = noChanges();

  const remove = ({ puts, removals }: StateChanges, writes: Writes): readonly TableKey[] => {
    const unfinished: TableKey[] = [];
    let room = removedAtOnce;
    for (const [prefix] of removals.entries()) {
      // What is put under it now must not be removed later.
      const isWhole = puts.hasUnder(prefix);
      if (!isWhole && room <= 0) {
        unfinished.push(prefix);
        continue;
      }
      const keys = table.keys(isWhole ? { prefix } : { prefix, limit: room });
      if (!isWhole && keys.length === room) unfinished.push(prefix);
      // To look one up costs about as much as to remove one.
      room -= keys.length + 1;
      for (const key of keys) writes.remove("state", key);
    }
    return unfinished;
  };

  return {
    durableState: {
      isDurable: true,
      put: (key, value) => {
        gathered.puts.set(tableKeyOf(key), value);
        changed();
      },
      removeAll: (prefix) => {
        const stored = tableKeyOf(prefix);
        gathered.puts.removeUnder(stored);
        gathered.removals.set(stored, true);
        changed();
      },
      *recovered(prefix) {
        for (const { key, value } of table.entries({ prefix: tableKeyOf(prefix) })) {
          const read = unseal(value);
          if (read.kind === "damaged") damaged(key);
          else yield [key as unknown as StateKey, read.value] as const;
        }
      },
    },
    take: () => {
      if (gathered.puts.isEmpty() && gathered.removals.isEmpty()) return undefined;
      const taken = gathered;
      gathered = noChanges();
      return taken;
    },
    write: (changes, writes) => {
      changes.unfinished = remove(changes, writes);
      for (const [key, value] of changes.puts.entries()) {
        try {
          const current = value();
          if (current === undefined) writes.remove("state", key);
          else writes.put("state", key, seal(current));
        } catch (caught) {
          log.error(
            { err: caught, kind: key[0] },
            "something of the engine's state cannot be written down; all else is",
          );
        }
      }
    },
    written: ({ unfinished }) => {
      for (const prefix of unfinished) gathered.removals.set(prefix, true);
      if (unfinished.length > 0) changed();
    },
    giveBack: (changes) => {
      for (const [key, value] of changes.puts.entries())
        if (!gathered.removals.hasAbove(key) && gathered.puts.get(key) === undefined) gathered.puts.set(key, value);
      for (const [prefix] of changes.removals.entries()) gathered.removals.set(prefix, true);
    },
  };
}
