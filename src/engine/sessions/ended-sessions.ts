// What is left of sessions that ended: how, when, whose they were, and which reply tokens they used up (R8, R17). The newest of them only.
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent, NewEvent } from "../event/event.js";
import { eventSize } from "../event/event-size.js";
import { ENDED_REPLY_TOKENS_KEPT_COUNT } from "./session-limits.js";

export interface EndedSession {
  readonly sessionId: string;
  /** Its last event; with an epoch where the commit was given one. */
  readonly terminal: NewEvent | JournaledEvent;
  readonly endedAt: Millis;
}

/** The last events of sessions, of those of which the journal has one. */
export function terminalsOf(sessions: Iterable<EndedSession>): readonly JournaledEvent[] {
  return [...sessions].flatMap(({ terminal }) => ("epoch" in terminal ? [terminal] : []));
}

export interface OwnedSession extends EndedSession {
  /** The connection of its agent, by identity, as long as that was there. */
  readonly owner: object | undefined;
  /** Of its token. */
  readonly tokenHash: string;
}

export interface EndedRecord extends OwnedSession {
  readonly replyTokens: readonly string[];
}

export interface EndedSessionsOptions {
  /** Most sessions kept; the one that ended first goes first. Default 4,096. */
  readonly maxCount?: number;
  /** Most bytes of last events kept, by estimate. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Most reply tokens kept; those of the session that ended first go first. Default 65,536. */
  readonly maxTokens?: number;
  /** Told of each session that is forgotten. */
  readonly forgotten: (session: EndedSession) => void;
  /** Told of reply tokens that are forgotten, with their session or before it. */
  readonly tokensForgotten?: (tokens: readonly string[], sessionId: string) => void;
}

export interface EndedSessions {
  readonly add: (record: EndedRecord) => void;
  readonly has: (sessionId: string) => boolean;
  readonly find: (sessionId: string) => EndedSession | undefined;
  readonly recordOf: (sessionId: string) => OwnedSession | undefined;
  /** All that ended at or after `from`, in the order in which they ended. */
  readonly since: (from: Millis) => Iterable<EndedSession>;
  /** Forgets those that ended before `before`. */
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
  /** Forgets the oldest as long as one is to go. */
  const removeWhile = (isToGo: (record: EndedSession) => boolean): void => {
    // In the order in which they ended.
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
