// A briefing has the sums and the loss that a subscription is owed: a sum of each open session, and what it can no longer get (R17, R27). Each event
// is made when it leaves, of the session as it stands then.

import type { AgentEvent } from "../event/event.js";
import type { Loss } from "../notices/daemon-events.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { SessionSummary } from "../sessions/session-record.js";
import type { Terms } from "../terms/terms.js";

/** The sessions, as a briefing asks for them. */
export interface BriefedSessions {
  readonly openIds: () => readonly string[];
  readonly summary: (sessionId: string) => SessionSummary | undefined;
  /** The last event of the session that ended last, as far as it is remembered. */
  readonly lastEnd: () => AgentEvent | undefined;
}

/** Units of others after which a sum goes before the next, so that a busy stream holds none back for ever. */
const UNITS_PER_SUM = 8;

export class Briefing {
  private readonly sessions: BriefedSessions;
  private readonly notices: NoticeFactory;
  private readonly sums = new Set<string>();
  private loss: Loss | undefined;
  private toldCount = 0;
  // Units of others since the last sum.
  private unitCount = 0;

  constructor(sessions: BriefedSessions, notices: NoticeFactory) {
    this.sessions = sessions;
    this.notices = notices;
  }

  get isDone(): boolean {
    return this.sums.size === 0 && this.loss === undefined;
  }

  /** Number of sums left. */
  get size(): number {
    return this.sums.size;
  }

  /** Owes a sum of each open session, and the loss with the first of them. */
  owe(loss: Loss | undefined): void {
    this.toldCount = 0;
    for (const sessionId of this.sessions.openIds()) this.sums.add(sessionId);
    if (this.loss?.eventCount !== undefined && loss?.eventCount !== undefined)
      this.loss = { ...loss, eventCount: this.loss.eventCount + loss.eventCount };
    else this.loss = loss ?? this.loss;
  }

  /** A session whose event comes first needs no sum. */
  drop(sessionId: string): void {
    this.sums.delete(sessionId);
    this.unitCount += 1;
  }

  /** Whether the next notice goes before live units: a loss does, and as many sums as the budget replenishes in a second. */
  isAhead(perSecond: number): boolean {
    return (
      this.loss !== undefined || (this.sums.size > 0 && (this.toldCount < perSecond || this.unitCount >= UNITS_PER_SUM))
    );
  }

  /** The next event; undefined if there is none. `isComing`: whether events of a session wait, so that it needs no sum. */
  next(terms: Terms, isComing: (sessionId: string) => boolean): AgentEvent | undefined {
    this.toldCount += 1;
    this.unitCount = 0;
    for (const sessionId of this.sums) {
      const event = isComing(sessionId) ? undefined : this.sum(sessionId, terms);
      this.sums.delete(sessionId);
      if (event !== undefined) return event;
    }
    return this.lossAlone(terms);
  }

  /** The sum of a session whose question is put next: of its state before that. Undefined if none is owed. */
  beforeQuestion(sessionId: string, terms: Terms): AgentEvent | undefined {
    return this.sums.delete(sessionId) ? this.sum(sessionId, terms, true) : undefined;
  }

  /** The loss by itself, because the events that are read back say how sessions stand. */
  lossAlone(terms: Terms): AgentEvent | undefined {
    const { loss, sessions, notices } = this;
    this.loss = undefined;
    const newest = sessions.openIds().at(-1);
    const open = newest === undefined ? undefined : sessions.summary(newest);
    const last = open === undefined ? sessions.lastEnd() : undefined;
    const of = open ?? (last && { sessionId: last.session_id, producer: last.producer, timestamp: last.timestamp });
    return loss === undefined || of === undefined ? undefined : notices.gap(of, terms, loss);
  }

  private sum(sessionId: string, terms: Terms, isAsking = false): AgentEvent | undefined {
    const session = this.sessions.summary(sessionId);
    if (session === undefined) return undefined;
    const { loss } = this;
    this.loss = undefined;
    return this.notices.summary(session, terms, loss, isAsking);
  }
}
