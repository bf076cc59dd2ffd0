// The newest sessions that ended: instant, last event and owner (R8, R17).
import type { Millis } from "../../contracts/clock.js";
import type { JournaledEvent } from "../event/event.js";
import { eventSize } from "../event/event-size.js";

export interface EndedSession {
  readonly sessionId: string;
  /** The session's last event. */
  readonly terminal: JournaledEvent;
  readonly endedAt: Millis;
  /** The connection that owned the session when it ended, by identity. Undefined if the agent was away. */
  readonly owner: object | undefined;
  /** Hash of the session's resume token. */
  readonly tokenHash: string;
}

/** Most sessions remembered; the session that ended first is forgotten first. */
const MOST_SESSIONS = 4096;
/** Most bytes of last events remembered, by estimate. */
const MOST_BYTES = 4 * 1024 * 1024;

export class EndedSessions {
  private readonly forgotten: (sessionId: string) => void;
  private readonly maxBytes: number;
  // In the order in which sessions ended.
  private readonly ended = new Map<string, EndedSession>();
  private bytes = 0;

  /** `forgotten` is called with each session that is forgotten. */
  constructor(forgotten: (sessionId: string) => void, maxBytes = MOST_BYTES) {
    this.forgotten = forgotten;
    this.maxBytes = maxBytes;
  }

  add(record: EndedSession): void {
    this.ended.set(record.sessionId, record);
    this.bytes += eventSize(record.terminal);
    this.removeWhile(() => this.ended.size > MOST_SESSIONS || (this.bytes > this.maxBytes && this.ended.size > 1));
  }

  find(sessionId: string): EndedSession | undefined {
    return this.ended.get(sessionId);
  }

  /** The last events, in the order in which the sessions ended. */
  terminals(): readonly JournaledEvent[] {
    return Array.from(this.ended.values(), ({ terminal }) => terminal);
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
      this.forgotten(record.sessionId);
    }
  }
}
