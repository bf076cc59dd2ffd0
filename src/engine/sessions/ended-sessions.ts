// The newest sessions that ended: instant, last event, owner, and the reply tokens that they used (R8, R17).
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent, NewEvent } from "../event/event.js";
import { eventSize } from "../event/event-size.js";
import { ENDED_REPLY_TOKENS_KEPT_COUNT } from "./session-limits.js";

export interface EndedSession {
  readonly sessionId: string;
  /** The session's last event; with an epoch if the commit received the journaled events. */
  readonly terminal: NewEvent | JournaledEvent;
  readonly endedAt: Millis;
}

/** Returns the last events of those sessions whose last event has an epoch. */
export function terminalsOf(sessions: Iterable<EndedSession>): readonly JournaledEvent[] {
  return [...sessions].flatMap(({ terminal }) => ("epoch" in terminal ? [terminal] : []));
}

export interface OwnedSession extends EndedSession {
  /** The connection that owned the session when it ended, by identity. Undefined if the agent was away. */
  readonly owner: object | undefined;
  /** Hash of the session's resume token. */
  readonly tokenHash: string;
}

export interface EndedRecord extends OwnedSession {
  readonly replyTokens: readonly string[];
}

export interface EndedSessionsOptions {
  /** Most sessions remembered; the session that ended first is forgotten first. Default 4,096. */
  readonly maxCount?: number;
  /** Most bytes of last events remembered, by estimate. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Most reply tokens remembered; the tokens of the session that ended first are forgotten first. Default 65,536. */
  readonly maxTokens?: number;
  /** Called with each session that is forgotten. */
  readonly forgotten: (session: EndedSession) => void;
  /** Called with reply tokens that are forgotten, together with their session or before it. */
  readonly tokensForgotten?: (tokens: readonly string[], sessionId: string) => void;
}

export interface EndedSessions {
  readonly add: (record: EndedRecord) => void;
  readonly has: (sessionId: string) => boolean;
  readonly find: (sessionId: string) => EndedSession | undefined;
  readonly recordOf: (sessionId: string) => OwnedSession | undefined;
  /** Sessions that ended at or after `from`, in the order in which they ended. */
  readonly since: (from: Millis) => Iterable<EndedSession>;
  /** Forgets sessions that ended before `before`. */
  readonly forget: (before: Millis) => void;
}

export function createEndedSessions(options: EndedSessionsOptions): EndedSessions {
  const { maxCount = 4096, maxBytes = 4 * 1024 * 1024, maxTokens = ENDED_REPLY_TOKENS_KEPT_COUNT } = options;
  const { forgotten } = options;
  const ended = new Map<string, OwnedSession>();
  const tokensOf = new Map<string, readonly string[]>();
  let bytes = 0;
  let tokenCount = 0;

  const forgetTokens = (sessionId: string): void => {
    const tokens = tokensOf.get(sessionId);
    if (tokens === undefined) return;
    tokensOf.delete(sessionId);
    tokenCount -= tokens.length;
    options.tokensForgotten?.(tokens, sessionId);
  };

  const remove = (record: OwnedSession): void => {
    ended.delete(record.sessionId);
    bytes -= eventSize(record.terminal);
    forgetTokens(record.sessionId);
    forgotten(record);
  };
  /** Forgets the oldest session for as long as `isToGo` is true of it. */
  const removeWhile = (isToGo: (record: EndedSession) => boolean): void => {
    // The map is in the order in which sessions ended.
    for (const record of ended.values()) {
      if (!isToGo(record)) return;
      remove(record);
    }
  };

  return {
    add: ({ replyTokens, ...record }) => {
      ended.set(record.sessionId, record);
      if (replyTokens.length > 0) tokensOf.set(record.sessionId, replyTokens);
      tokenCount += replyTokens.length;
      for (const [oldest] of tokensOf) {
        if (tokenCount <= maxTokens) break;
        forgetTokens(oldest);
      }
      bytes += eventSize(record.terminal);
      removeWhile(() => ended.size > maxCount || (bytes > maxBytes && ended.size > 1));
    },
    has: (sessionId) => ended.has(sessionId),
    find: (sessionId) => ended.get(sessionId),
    recordOf: (sessionId) => ended.get(sessionId),
    since: function* (from) {
      for (const record of ended.values()) if (record.endedAt >= from) yield record;
    },
    forget: (before) => removeWhile(({ endedAt }) => endedAt < before),
  };
}
