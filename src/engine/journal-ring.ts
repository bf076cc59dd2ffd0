// The journal in memory: a window over the newest events, bounded by count and by bytes.
import type { Appended, Journal, JournalRead } from "../contracts/journal.js";
import type { Epoch, JournaledEvent, NewEvent } from "./event.js";
import { eventSize } from "./event-size.js";

export interface JournalRingOptions {
  /** The epoch of the first event; above every epoch that a daemon on this machine ever gave out (R29). */
  readonly firstEpoch: Epoch;
  /** Most events kept. The oldest goes when one more arrives. Default 65,536. */
  readonly maxEvents?: number;
  /** Most bytes of events kept, by estimate. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Told of each event that leaves the window, oldest first. */
  readonly evicted?: (entry: JournaledEvent) => void;
}

/** A journal that forgets: nothing survives the process, and `durable` is always at once (R29). */
export function createJournalRing(options: JournalRingOptions): Journal {
  const maxEvents = options.maxEvents ?? 65_536;
  const maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
  const byId = new Map<string, JournaledEvent>();
  // A growing array with a moving start; it is compacted once the dead part outweighs the living.
  let entries: JournaledEvent[] = [];
  // What each was counted as; looking at an old entry again would only fetch it into the cache to say good-bye.
  let sizes: number[] = [];
  let start = 0;
  let bytes = 0;
  let head = options.firstEpoch - 1;

  const evictOldest = (): void => {
    const oldest = entries[start];
    if (oldest === undefined) return;
    bytes -= sizes[start] ?? 0;
    start += 1;
    if (byId.get(oldest.event.event_id) === oldest) byId.delete(oldest.event.event_id);
    options.evicted?.(oldest);
    if (start > 1024 && start * 2 > entries.length) {
      entries = entries.slice(start);
      sizes = sizes.slice(start);
      start = 0;
    }
  };

  const append = (events: readonly NewEvent[]): Appended => {
    const added: JournaledEvent[] = [];
    for (const { event, kind, source, at, ordinal, made } of events) {
      head += 1;
      // A literal: a spread costs ten times as much.
      const entry: JournaledEvent = { event, kind, source, at, ordinal, made, epoch: head };
      const size = eventSize(entry);
      entries.push(entry);
      sizes.push(size);
      added.push(entry);
      byId.set(event.event_id, entry);
      bytes += size;
      while (entries.length - start > maxEvents || (bytes > maxBytes && entries.length - start > 1)) evictOldest();
    }
    return { events: added, durable: undefined };
  };

  const oldest = (): Epoch => entries[start]?.epoch ?? head + 1;

  const read = (after: Epoch, limit: number): JournalRead => {
    const first = oldest();
    if (after + 1 < first && after < head) return { kind: "gap", oldest: first };
    // Epochs of one run of the daemon have no holes, so the place follows from the number.
    const from = start + Math.max(0, after + 1 - first);
    return { kind: "events", events: entries.slice(from, from + limit) };
  };

  const at = (epoch: Epoch): JournaledEvent | undefined => {
    const offset = epoch - oldest();
    return offset < 0 ? undefined : entries[start + offset];
  };

  return { append, read, head: () => head, oldest, find: (id) => byId.get(id), at, close: async () => undefined };
}
