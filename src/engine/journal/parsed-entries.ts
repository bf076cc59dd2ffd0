// The newest entries that were parsed for somebody who reads back in the journal. Those who come back at about the same time read the same
// entries, so each is parsed once for all of them, and what is made of it is shared (R14).
import type { Epoch, JournaledEvent } from "../event/event.js";

export interface ParsedEntries {
  /** The entry of this epoch; `parse` makes it where it is not at hand. `size` is the length of its text, UTF-16 units. */
  readonly get: (epoch: Epoch, size: number, parse: () => JournaledEvent) => JournaledEvent;
  /** Lets go of an entry that left the journal. */
  readonly drop: (epoch: Epoch) => void;
}

/** A few batches of one reader. */
const MOST_ENTRIES = 1024;
/** Text of the entries, UTF-16 units. */
const MOST_UNITS = 1024 * 1024;

interface Parsed {
  readonly entry: JournaledEvent;
  readonly size: number;
}

export function createParsedEntries(): ParsedEntries {
  // In the order in which they were parsed.
  const parsed = new Map<Epoch, Parsed>();
  let units = 0;

  const drop = (epoch: Epoch): void => {
    const known = parsed.get(epoch);
    if (known === undefined) return;
    units -= known.size;
    parsed.delete(epoch);
  };

  return {
    get: (epoch, size, parse) => {
      const known = parsed.get(epoch);
      if (known !== undefined) return known.entry;
      const entry = parse();
      parsed.set(epoch, { entry, size });
      units += size;
      for (const oldest of parsed.keys()) {
        if (parsed.size <= MOST_ENTRIES && units <= MOST_UNITS) break;
        drop(oldest);
      }
      return entry;
    },
    drop,
  };
}
