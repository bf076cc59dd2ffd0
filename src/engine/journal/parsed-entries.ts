// The entries that were parsed last for readers of the journal. Subscriptions that resume at about the same time read the same entries, so each entry
// is parsed once for all of them, and its rendering is shared (R14).
import type { Epoch, JournaledEvent } from "../event/event.js";

export interface ParsedEntries {
  /** The entry of this epoch; `parse` makes it if it is not held. `size` is the length of its text in UTF-16 units. */
  readonly get: (epoch: Epoch, size: number, parse: () => JournaledEvent) => JournaledEvent;
  /** Drops an entry that left the journal. */
  readonly drop: (epoch: Epoch) => void;
}

/** Most entries held: a few batches of one reader. */
const MOST_ENTRIES = 1024;
/** Most text held, in UTF-16 units. */
const MOST_UNITS = 1024 * 1024;

interface Parsed {
  readonly entry: JournaledEvent;
  readonly size: number;
}

export function createParsedEntries(): ParsedEntries {
  // In the order of parsing.
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
