// What the engine keeps beside events, until it is written. Values are asked for at the last moment, so a session that changes with every event
// costs one value a group.
import type { KeptState, StateKey } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import { seal, unseal } from "./sealed.js";
import { tableKeyOf } from "./state-keys.js";
import type { Table, TableKey, Writes } from "./tables.js";

interface Put {
  readonly key: TableKey;
  readonly value: () => unknown;
}

/** What changed, for one group: what was removed as a whole, and after that what was put. */
export interface StateChanges {
  readonly puts: Map<string, Put>;
  readonly removals: TableKey[];
}

export interface PendingState {
  readonly kept: KeptState;
  /** What changed since the last call. It belongs to the caller, who gives it back where it could not be written. */
  readonly take: () => StateChanges;
  readonly write: (changes: StateChanges, writes: Writes) => void;
  /** Of changes that could not be written, what nothing newer stands for is to be written again. */
  readonly giveBack: (changes: StateChanges) => void;
  readonly isEmpty: () => boolean;
}

function isUnder(key: TableKey, prefix: TableKey): boolean {
  return prefix.every((part, index) => key[index] === part);
}

/** `changed` is called with the first change of each group. `damaged` is told of what cannot be read back. */
export function createPendingState(
  table: Table,
  log: Log,
  changed: () => void,
  damaged: (key: TableKey) => void,
): PendingState {
  let gathered: StateChanges = { puts: new Map(), removals: [] };

  const put = (key: StateKey, value: () => unknown): void => {
    const stored = tableKeyOf(key);
    gathered.puts.set(JSON.stringify(stored), { key: stored, value });
    changed();
  };

  return {
    kept: {
      isKept: true,
      put,
      removeAll: (prefix) => {
        const stored = tableKeyOf(prefix);
        for (const [name, { key }] of gathered.puts) if (isUnder(key, stored)) gathered.puts.delete(name);
        gathered.removals.push(stored);
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
      const taken = gathered;
      gathered = { puts: new Map(), removals: [] };
      return taken;
    },
    write: ({ puts, removals }, writes) => {
      for (const prefix of removals) for (const key of table.keys({ prefix })) writes.remove("state", key);
      for (const { key, value } of puts.values()) {
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
    giveBack: (changes) => {
      for (const [name, before] of changes.puts) {
        const isRemoved = gathered.removals.some((prefix) => isUnder(before.key, prefix));
        if (!isRemoved && !gathered.puts.has(name)) gathered.puts.set(name, before);
      }
      gathered.removals.unshift(...changes.removals);
    },
    isEmpty: () => gathered.puts.size === 0 && gathered.removals.length === 0,
  };
}
