// Entries of a journal that keeps only their text, parsed once for all who read them at about the same time.
import type { Epoch, JournaledEvent } from "../event/event.js";

/** Most entries held: a few batches of one reader. */
const MOST_ENTRIES = 1024;
/** Most text held, in UTF-16 units. */
const MOST_UNITS = 1024 * 1024;

/**
 * The entries that were parsed last for readers. Subscriptions that resume at about the same time read the same entries, so each is parsed once for
 * all of them, and its rendering is shared (R14).
 */
export class ParsedEntries {
  // In the order of parsing, with the length of their texts.
  private readonly parsed = new Map<Epoch, { readonly entry: JournaledEvent; readonly size: number }>();
  private units = 0;

  /** The entry of this epoch; `parse` makes it if it is not held. `size` is the length of its text in UTF-16 units. */
  get(epoch: Epoch, size: number, parse: () => JournaledEvent): JournaledEvent {
    const { parsed } = this;
    const known = parsed.get(epoch);
    if (known !== undefined) return known.entry;
    const entry = parse();
    parsed.set(epoch, { entry, size });
    this.units += size;
    for (const oldest of parsed.keys()) {
      if (parsed.size <= MOST_ENTRIES && this.units <= MOST_UNITS) break;
      this.drop(oldest);
    }
    return entry;
  }

  /** Drops an entry, for example one that left the journal. */
  drop(epoch: Epoch): void {
    this.units -= this.parsed.get(epoch)?.size ?? 0;
    this.parsed.delete(epoch);
  }
}
