// What was read of a recording last, for all who listen to it: those who hear the same part at about the same time have it read and parsed once, and
// whoever looks back a little does not read it again.
import type { RecordedEvent, RecordedSession } from "./recorded-session.js";

const MOST_READS = 16;
/** Text of the events, UTF-16 units. */
const MOST_UNITS = 4 * 1024 * 1024;

interface Read {
  readonly events: readonly RecordedEvent[];
  readonly units: number;
}

/** The same session. What is journaled after a part was read is found by reading on after that part. */
export function createSharedReads(session: RecordedSession): RecordedSession {
  // In the order in which they were last used.
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
      // After the last event there may be one the next time.
      if (events.length > 0) keep(key, events);
      return events;
    },
  };
}
