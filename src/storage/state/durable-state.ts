// The engine's state beside events, from `put` until a group has written it. The group asks for each value, so a session that changes with every
// event costs one value a group.
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Recovered, StateRecordKey, StateWrites } from "../blocks/block-store.js";
import { seal, unseal } from "../checksums/sealed.js";
import { recordKeyOf } from "./state-keys.js";

interface Put {
  readonly key: StateRecordKey;
  readonly value: () => unknown;
}

/** Changes for one group, by the names of their keys. */
type StateChanges = Map<string, Put>;

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
  private gathered: StateChanges = new Map();

  constructor(services: PendingStateServices) {
    this.services = services;
  }

  put(key: StateKey, value: () => unknown): void {
    const recordKey = recordKeyOf(key);
    this.gathered.set(nameOf(recordKey), { key: recordKey, value });
    this.services.changed();
  }

  *recovered(prefix: StateKey): Iterable<readonly [key: StateKey, value: unknown]> {
    for (const [key, value] of this.services.stored(recordKeyOf(prefix))) {
      const read = unseal(value);
      if (read === undefined) this.services.damaged(key);
      else yield [key as unknown as StateKey, read] as const;
    }
  }

  /** Changes since the last call; undefined if there are none. The caller reports a group that was not written by `giveBack`. */
  take(): StateChanges | undefined {
    if (this.gathered.size === 0) return undefined;
    const taken = this.gathered;
    this.gathered = new Map();
    return taken;
  }

  /** Asks for each value, now. */
  writesOf(changes: StateChanges): StateWrites {
    const writes: [StateRecordKey, Buffer | undefined][] = [];
    for (const { key, value } of changes.values()) {
      try {
        const current = value();
        writes.push([key, current === undefined ? undefined : seal(current)]);
      } catch (caught) {
        const kind = key[0];
        this.services.log.error(
          { err: caught, kind },
          "something of the engine's state cannot be written down; all else is",
        );
      }
    }
    return writes;
  }

  /** The group could not be written. The next group has its changes again, except where newer changes replace them. */
  giveBack(changes: StateChanges): void {
    this.gathered = new Map([...changes, ...this.gathered]);
  }
}

/** Parts have no control characters (`state-keys.ts`). */
function nameOf(key: StateRecordKey): string {
  return key.map((part) => (typeof part === "number" ? `\u0001${part}` : part)).join("\0");
}
