// What is left of sessions that ended: how, when, whose they were, and which reply tokens they used up (R8, R17). The newest of them only.
import type { Millis } from "../contracts/clock.js";
import type { JournaledEvent, NewEvent } from "./event.js";
import { eventSize } from "./event-size.js";

export interface EndedSession {
  readonly sessionId: string;
  /** Its last event; with an epoch where the commit was given one. */
  readonly terminal: NewEvent | JournaledEvent;
  readonly endedAt: Millis;
}

export interface EndedRecord extends EndedSession {
  /** The connection of its agent, by identity, as long as that was there. */
  readonly owner: object | undefined;
  readonly replyTokens: readonly string[];
}

export interface EndedSessionsOptions {
  /** Most sessions kept; the one that ended first goes first. Default 4,096. */
  readonly maxCount?: number;
  /** Most bytes of last events kept, by estimate. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Told of each session that is forgotten. */
  readonly forgotten: (record: EndedRecord) => void;
}

export interface EndedSessions {
  readonly add: (record: EndedRecord) => void;
  readonly has: (sessionId: string) => boolean;
  readonly find: (sessionId: string) => EndedSession | undefined;
  readonly ownerOf: (sessionId: string) => object | undefined;
  /** All that ended at or after `from`, in the order in which they ended. */
  readonly since: (from: Millis) => Iterable<EndedSession>;
  /** Forgets those that ended before `before`. */
  readonly forget: (before: Millis) => void;
}

export function createEndedSessions(options: EndedSessionsOptions): EndedSessions {
  const { maxCount = 4096, maxBytes = 4 * 1024 * 1024, forgotten } = options;
  const ended = new Map<string, EndedRecord>();
  let bytes = 0;

  const remove = (record: EndedRecord): void => {
    ended.delete(record.sessionId);
    bytes -= eventSize(record.terminal);
    forgotten(record);
  };
  /** Forgets the oldest as long as one is to go. */
  const removeWhile = (isToGo: (record: EndedRecord) => boolean): void => {
    // In the order in which they ended.
    for (const record of ended.values()) {
      if (!isToGo(record)) return;
      remove(record);
    }
  };

  return {
    add: (record) => {
      ended.set(record.sessionId, record);
      bytes += eventSize(record.terminal);
      removeWhile(() => ended.size > maxCount || (bytes > maxBytes && ended.size > 1));
    },
    has: (sessionId) => ended.has(sessionId),
    find: (sessionId) => ended.get(sessionId),
    ownerOf: (sessionId) => ended.get(sessionId)?.owner,
    since: function* (from) {
      for (const record of ended.values()) if (record.endedAt >= from) yield record;
    },
    forget: (before) => removeWhile(({ endedAt }) => endedAt < before),
  };
}
