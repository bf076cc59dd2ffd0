// The newest sessions that ended: instant, last event, owner, and the reply tokens that they used (R8, R17).
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent, NewEvent } from "../event/event.js";
import { eventSize } from "../event/event-size.js";
import { ENDED_REPLY_TOKENS_KEPT_COUNT } from "./session-limits.js";

export interface EndedSession {
  readonly sessionId: string;
  /** The session's last event; with an epoch if the journal has it. */
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

export class EndedSessions {
  private readonly options: EndedSessionsOptions;
  // In the order in which sessions ended.
  private readonly ended = new Map<string, OwnedSession>();
  private readonly tokensOf = new Map<string, readonly string[]>();
  private bytes = 0;
  private tokenCount = 0;

  constructor(options: EndedSessionsOptions) {
    this.options = options;
  }

  add({ replyTokens, ...record }: EndedRecord): void {
    const { maxCount = 4096, maxBytes = 4 * 1024 * 1024, maxTokens = ENDED_REPLY_TOKENS_KEPT_COUNT } = this.options;
    this.ended.set(record.sessionId, record);
    if (replyTokens.length > 0) this.tokensOf.set(record.sessionId, replyTokens);
    this.tokenCount += replyTokens.length;
    for (const [oldest] of this.tokensOf) {
      if (this.tokenCount <= maxTokens) break;
      this.forgetTokens(oldest);
    }
    this.bytes += eventSize(record.terminal);
    this.removeWhile(() => this.ended.size > maxCount || (this.bytes > maxBytes && this.ended.size > 1));
  }

  has(sessionId: string): boolean {
    return this.ended.has(sessionId);
  }

  find(sessionId: string): OwnedSession | undefined {
    return this.ended.get(sessionId);
  }

  /** Sessions that ended at or after `from`, in the order in which they ended. */
  *since(from: Millis): Iterable<EndedSession> {
    for (const record of this.ended.values()) if (record.endedAt >= from) yield record;
  }

  /** Forgets sessions that ended before `before`. */
  forget(before: Millis): void {
    this.removeWhile(({ endedAt }) => endedAt < before);
  }

  /** Forgets the oldest session for as long as `isToGo` is true of it. */
  private removeWhile(isToGo: (record: EndedSession) => boolean): void {
    for (const record of this.ended.values()) {
      if (!isToGo(record)) return;
      this.ended.delete(record.sessionId);
      this.bytes -= eventSize(record.terminal);
      this.forgetTokens(record.sessionId);
      this.options.forgotten(record);
    }
  }

  private forgetTokens(sessionId: string): void {
    const tokens = this.tokensOf.get(sessionId);
    if (tokens === undefined) return;
    this.tokensOf.delete(sessionId);
    this.tokenCount -= tokens.length;
    this.options.tokensForgotten?.(tokens, sessionId);
  }
}
