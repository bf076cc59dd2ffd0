// Limits the bytes of messages that have begun and not ended, of all connections together. One connection may hold one message, but there may be many
// thousands of connections.

/** A connection, or the body of a call, in the middle of a message. */
export interface UnfinishedMessage {
  /** Called if all together are too many bytes and this message is the oldest. It counts no longer. */
  readonly giveUp: (mostBytes: number) => void;
}

export interface Unfinished {
  /** Sets the bytes that are held of the message; 0 for none. `isNew`: they are of another message than before. */
  readonly count: (message: UnfinishedMessage, bytes: number, isNew: boolean) => void;
}

const MOST_UNFINISHED_BYTES = 64 * 1024 * 1024;

/** With the usual limit for messages of at most `maxMessageBytes`: 64 MiB, or eight of the largest messages. */
export function unfinishedOf(maxMessageBytes: number): Unfinished {
  return createUnfinished(Math.max(MOST_UNFINISHED_BYTES, 8 * maxMessageBytes));
}

/** @param mostBytes all connections together */
export function createUnfinished(mostBytes: number): Unfinished {
  /** Oldest first. */
  const held = new Map<UnfinishedMessage, number>();
  let total = 0;
  const count: Unfinished["count"] = (message, bytes, isNew) => {
    const before = held.get(message);
    total += bytes - (before ?? 0);
    if (before !== undefined && (isNew || bytes === 0)) held.delete(message);
    if (bytes > 0) held.set(message, bytes);
    while (total > mostBytes) {
      const [oldest] = held.keys();
      if (oldest === undefined) return;
      count(oldest, 0, false);
      oldest.giveUp(mostBytes);
    }
  };
  return { count };
}
