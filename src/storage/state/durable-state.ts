// The engine's state beside events, from `put` until a group has written it. The group asks for each value, so a session that changes with every
// event costs one value a group.
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Recovered, StateRecordKey, StateWrites } from "../blocks/block-store.js";
import { seal, unseal } from "../checksums/sealed.js";
import { recordKeyOf } from "./state-keys.js";

/** A change; the higher `at`, the later it was asked for. */
interface Change {
  readonly key: StateRecordKey;
  readonly at: number;
}

interface Put extends Change {
  readonly value: () => unknown;
}

/** Changes for one group, by the names of their keys. A removal is that of all keys that begin with its own, and counts against earlier puts. */
interface StateChanges {
  readonly puts: Map<string, Put>;
  readonly removals: Map<string, Change>;
}

function noChanges(): StateChanges {
  return { puts: new Map(), removals: new Map() };
}

export interface PendingStateServices {
  readonly stored: Recovered["state"];
  readonly log: Log;
  /** Called with each change. */
  readonly changed: () => void;
  /** Called with the key of each stored value whose checksum is wrong. */
  readonly damaged: (key: StateRecordKey) => void;
}

export class PendingState implements DurableState {
  readonly isDurable = true;
  private readonly services: PendingStateServices;
  private gathered = noChanges();
  private count = 0;

  constructor(services: PendingStateServices) {
    this.services = services;
  }

  put(key: StateKey, value: () => unknown): void {
    this.count += 1;
    const recordKey = recordKeyOf(key);
    this.gathered.puts.set(nameOf(recordKey), { key: recordKey, at: this.count, value });
    this.services.changed();
  }

  removeAll(prefix: StateKey): void {
    this.count += 1;
    const key = recordKeyOf(prefix);
    this.gathered.removals.set(nameOf(key), { key, at: this.count });
    this.services.changed();
  }

  *recovered(prefix: StateKey): Iterable<readonly [key: StateKey, value: unknown]> {
    for (const [key, value] of this.services.stored(recordKeyOf(prefix))) {
      const read = unseal(value);
      if (read.kind === "damaged") this.services.damaged(key);
      else yield [key as unknown as StateKey, read.value] as const;
    }
  }

  /** Changes since the last call; undefined if there are none. The caller reports their end by `written` or `giveBack`. */
  take(): StateChanges | undefined {
    if (this.gathered.puts.size + this.gathered.removals.size === 0) return undefined;
    const taken = this.gathered;
    this.gathered = noChanges();
    return taken;
  }

  /** Asks for each value, now. */
  writesOf({ puts, removals }: StateChanges): StateWrites {
    const values: [StateRecordKey, Buffer | undefined][] = [];
    // A later group must not remove values that this group puts under the prefix.
    const whole = new Set<Change>();
    for (const { key, at, value } of puts.values()) {
      const above = removals.size === 0 ? [] : removalsAbove(key, removals);
      if (above.some((removal) => removal.at > at)) continue;
      for (const removal of above) whole.add(removal);
      try {
        const current = value();
        values.push([key, current === undefined ? undefined : seal(current)]);
      } catch (caught) {
        this.services.log.error(
          { err: caught, kind: key[0] },
          "something of the engine's state cannot be written down; all else is",
        );
      }
    }
    return {
      removals: Array.from(removals.values(), (removal) => ({ prefix: removal.key, isWhole: whole.has(removal) })),
      puts: values,
    };
  }

  /** The group is written. The next group goes on with the removals that are `unfinished`. */
  written(unfinished: readonly StateRecordKey[]): void {
    for (const key of unfinished) takeOver(this.gathered.removals, nameOf(key), { key, at: 0 });
    if (unfinished.length > 0) this.services.changed();
  }

  /** The group could not be written. The next group has its changes again, except where newer changes replace them. */
  giveBack({ puts, removals }: StateChanges): void {
    for (const [name, put] of puts) takeOver(this.gathered.puts, name, put);
    for (const [name, removal] of removals) takeOver(this.gathered.removals, name, removal);
  }
}

function takeOver<Kept extends Change>(changes: Map<string, Kept>, name: string, older: Kept): void {
  if (!changes.has(name)) changes.set(name, older);
}

/** Parts have no control characters (`state-keys.ts`). */
function nameOf(key: StateRecordKey): string {
  return key.map((part) => (typeof part === "number" ? `\u0001${part}` : part)).join("\0");
}

function removalsAbove(key: StateRecordKey, removals: ReadonlyMap<string, Change>): readonly Change[] {
  return key.flatMap((_, index) => removals.get(nameOf(key.slice(0, index + 1))) ?? []);
}
