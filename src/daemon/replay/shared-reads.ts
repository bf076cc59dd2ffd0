// Caches the last reads of a recording for all its listeners: those that hear the same part at about the same time share one read and one parse, and
// a listener that looks back a little causes no second read.
import type { RecordedEvent, RecordedSession } from "./recorded-session.js";

const MOST_READS = 16;
/** Text of the cached events, UTF-16 units. */
const MOST_UNITS = 4 * 1024 * 1024;

interface Read {
  readonly events: readonly RecordedEvent[];
  readonly units: number;
}

/** Wraps a session with the cache. Events journaled after a read are found by a read behind its last event. */
export function createSharedReads(session: RecordedSession): RecordedSession {
  // In the order of the last use.
  const known = new Map<string, Read>();
  let units = 0;

  const drop = (key: string): void => {
    units -= known.get(key)?.units ?? 0;
    known.delete(key);
  };

  const keep = (key: string, events: readonly RecordedEvent[]): void => {
    const own = events.reduce((sum, { source }) => sum + (source?.length ?? 0), 0);
    known.set(key, { events, units: own });
    units += own;
    for (const oldest of known.keys()) {
      if (known.size <= MOST_READS && units <= MOST_UNITS) break;
      drop(oldest);
    }
  };

  return {
    sessionId: session.sessionId,
    read: (after, limit) => {
      const key = `${after}/${limit}`;
      const found = known.get(key);
      const events = found?.events ?? session.read(after, limit);
      if (found !== undefined) drop(key);
      // An empty read is not cached: a later event may follow.
      if (events.length > 0) keep(key, events);
      return events;
    },
  };
}
