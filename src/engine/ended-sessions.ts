// What is left of sessions that ended: how, when, whose they were, and which reply tokens they used up (R8, R17).
import type { Millis } from "../contracts/clock.js";
import type { JournaledEvent, NewEvent } from "./event.js";

export interface EndedSession {
  readonly sessionId: string;
  /** Its last event; with an epoch where the commit was given one. */
  readonly terminal: NewEvent | JournaledEvent;
  readonly endedAt: Millis;
}

interface EndedRecord extends EndedSession {
  /** The connection of its agent, by identity, as long as that was there. */
  readonly owner: object | undefined;
  readonly replyTokens: readonly string[];
}

export interface EndedSessions {
  readonly add: (record: EndedRecord) => void;
  readonly has: (sessionId: string) => boolean;
  readonly find: (sessionId: string) => EndedSession | undefined;
  readonly ownerOf: (sessionId: string) => object | undefined;
  /** All that ended at or after `from`, in the order in which they ended. */
  readonly since: (from: Millis) => readonly EndedSession[];
  /** Forgets those that ended before `before`, and answers their reply tokens. */
  readonly forget: (before: Millis) => readonly string[];
}

export function createEndedSessions(): EndedSessions {
  const ended = new Map<string, EndedRecord>();
  return {
    add: (record) => void ended.set(record.sessionId, record),
    has: (sessionId) => ended.has(sessionId),
    find: (sessionId) => ended.get(sessionId),
    ownerOf: (sessionId) => ended.get(sessionId)?.owner,
    since: (from) => [...ended.values()].filter(({ endedAt }) => endedAt >= from),
    forget: (before) => {
      const tokens: string[] = [];
      // In the order in which they ended.
      for (const [sessionId, { endedAt, replyTokens }] of ended) {
        if (endedAt >= before) break;
        ended.delete(sessionId);
        tokens.push(...replyTokens);
      }
      return tokens;
    },
  };
}
