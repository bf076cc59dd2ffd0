// The engine's state beside events, from `put` until a group has written it. The group asks for each value, so a session that changes with every
// event costs one value a group.
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Recovered, StateRecordKey, StateWrites } from "../blocks/block-store.js";
import { seal, unseal } from "../checksums/sealed.js";
import { createKeyTree, type KeyTree } from "./key-tree.js";
import { recordKeyOf } from "./state-keys.js";

/** Changes for one group. Removals come first, and puts afterwards. */
interface StateChanges {
  readonly puts: KeyTree<() => unknown>;
  readonly removals: KeyTree<true>;
}

export interface PendingState {
  readonly durableState: DurableState;
  /** Changes since the last call; undefined if there are none. The caller reports their end by `written` or `giveBack`. */
  readonly take: () => StateChanges | undefined;
  /** Asks for each value, now. */
  readonly writesOf: (changes: StateChanges) => StateWrites;
  /** The group is written. The next group goes on with the removals that are `unfinished`. */
  readonly written: (unfinished: readonly StateRecordKey[]) => void;
  /** The group could not be written. The next group has its changes again, except where newer changes replace them. */
  readonly giveBack: (changes: StateChanges) => void;
}

function noChanges(): StateChanges {
  return { puts: createKeyTree(), removals: createKeyTree() };
}

/** Calls `changed` with each change, and `damaged` with the key of each stored value whose checksum is wrong. */
export function createPendingState(
  stored: Recovered["state"],
  log: Log,
  changed: () => void,
  damaged: (key: StateRecordKey) => void,
): PendingState {
  let gathered = noChanges();

  const valuesOf = (puts: StateChanges["puts"]): StateWrites["puts"] => {
    const values: [StateRecordKey, Buffer | undefined][] = [];
    for (const [key, value] of puts.entries()) {
      try {
        const current = value();
        values.push([key, current === undefined ? undefined : seal(current)]);
      } catch (caught) {
        log.error({ err: caught, kind: key[0] }, "something of the engine's state cannot be written down; all else is");
      }
    }
    return values;
  };

  return {
    durableState: {
      isDurable: true,
      put: (key, value) => {
        gathered.puts.set(recordKeyOf(key), value);
        changed();
      },
      removeAll: (prefix) => {
        const under = recordKeyOf(prefix);
        gathered.puts.removeUnder(under);
        gathered.removals.set(under, true);
        changed();
      },
      *recovered(prefix) {
        for (const [key, value] of stored(recordKeyOf(prefix))) {
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
    writesOf: ({ puts, removals }) => ({
      // A later group must not remove values that this group puts under the prefix.
      removals: Array.from(removals.entries(), ([prefix]) => ({ prefix, isWhole: puts.hasUnder(prefix) })),
      puts: valuesOf(puts),
    }),
    written: (unfinished) => {
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
