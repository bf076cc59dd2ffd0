// The last events that one subscriber was given, by session, each with what was owed when it went out (R17): the last ones need not have arrived.
import type { Epoch } from "../event/event.js";
import { RUNS_KEPT, type RunLows } from "../views/run-lows.js";

/** An event that was delivered. */
export interface Point {
  readonly eventId: string;
  /** The lowest epoch that was still owed when it went out. */
  readonly low: Epoch;
  /** The event's own epoch; undefined in points of the run before. */
  readonly epoch?: Epoch;
}

interface SessionPoints {
  last: Point;
  readonly earlier: Point[];
  /** Of events before those, which went ahead of something that was owed: their places in the journal say nothing of that. */
  ahead: readonly Point[];
}

/** Points kept beside the last one of a session: the last events handed over may not have arrived. */
const EARLIER_KEPT = 16;
/** Of events that went ahead so many more: what they overtook followed, and need not have arrived. */
const AHEAD_KEPT = 64;
/** Sessions of which the last events are kept, whatever the journal knows of them: those that this subscriber was given something of last. */
const RECENT_SESSIONS_KEPT = 16;
/** Sessions before those of which events that went ahead are kept: who names one of an earlier session has lost all that came since. */
const OLDER_SESSIONS_KEPT = 64;

/** A class, because there is one for each subscriber that is remembered. */
export class SubscriberPoints {
  /** In the order of their last deliveries. */
  private readonly recent = new Map<string, SessionPoints>();
  /** Of sessions before those, only events that went ahead: for others the journal's place of the event says as much. */
  private readonly older = new Map<string, readonly Point[]>();
  private latest: string | undefined;
  /** What left as others got it, of its last connections. */
  private runs: readonly RunLows[] = [];
  private pointCount = 0;

  /** How many there are, of all sessions and runs. */
  count(): number {
    return this.pointCount;
  }

  /**
   * `wentAhead`: whether an event's place in the journal would not tell what was owed when it went out. Answers the sessions of which less is known
   * now.
   */
  delivered(
    sessionId: string,
    last: Point,
    wentAhead: (point: Point, sessionId: string) => boolean,
  ): readonly string[] {
    const session = this.recent.get(sessionId);
    this.pointCount += 1;
    if (session === undefined) {
      this.recent.set(sessionId, { last, earlier: [], ahead: this.older.get(sessionId) ?? [] });
      this.older.delete(sessionId);
      this.latest = sessionId;
      return this.reduce(wentAhead);
    }
    session.earlier.push(session.last);
    session.last = last;
    const oldest = session.earlier.length > EARLIER_KEPT ? session.earlier.shift() : undefined;
    if (oldest !== undefined) {
      const ahead = wentAhead(oldest, sessionId) ? [...session.ahead.slice(1 - AHEAD_KEPT), oldest] : session.ahead;
      this.pointCount += ahead.length - session.ahead.length - 1;
      session.ahead = ahead;
    }
    if (this.latest !== sessionId) {
      this.recent.delete(sessionId);
      this.recent.set(sessionId, session);
      this.latest = sessionId;
    }
    return [];
  }

  /** A connection of its has ended, and these were the last runs that it was given. */
  ran(runs: readonly RunLows[]): void {
    const all = [...this.runs, ...runs];
    const gone = all.splice(0, all.length - RUNS_KEPT);
    this.pointCount += eventCount(runs) - eventCount(gone);
    this.runs = all;
  }

  /** Takes over what the run before kept of a session, oldest first. */
  restore(sessionId: string, kept: readonly Point[]): void {
    const last = kept.at(-1);
    if (last === undefined) return;
    this.pointCount += kept.length - this.of(sessionId).length;
    const earlier = kept.slice(-EARLIER_KEPT - 1, -1);
    this.recent.set(sessionId, { last, earlier, ahead: kept.slice(0, -EARLIER_KEPT - 1) });
  }

  /** What is known of a session, oldest first. */
  of(sessionId: string): readonly Point[] {
    const session = this.recent.get(sessionId);
    if (session === undefined) return this.older.get(sessionId) ?? [];
    return [...session.ahead, ...session.earlier, session.last];
  }

  /**
   * The lowest epoch that was owed when `eventId` went out, each time that it did: what was sent twice may have come once. Of the run before it need
   * not be known that it went out again, while no less than `before` was owed.
   */
  lowOf(eventId: string, before: Epoch = Number.POSITIVE_INFINITY): Epoch | undefined {
    let lowest: Epoch | undefined;
    const look = (point: Point): void => {
      if (point.eventId !== eventId) return;
      const low = point.epoch === undefined ? Math.min(point.low, before) : point.low;
      lowest = Math.min(low, lowest ?? low);
    };
    for (const run of this.runs) {
      const low = run.lowOf(eventId);
      if (low !== undefined) lowest = Math.min(low, lowest ?? low);
    }
    for (const points of this.older.values()) points.forEach(look);
    for (const { ahead, earlier, last } of this.recent.values()) {
      ahead.forEach(look);
      earlier.forEach(look);
      look(last);
    }
    return lowest;
  }

  /** The lowest epoch that was owed when the last event of `sessionId` went out, or of any session. */
  lastLow(sessionId: string | undefined): Epoch | undefined {
    let lowest: Epoch | undefined;
    for (const [id, { last }] of this.recent)
      if (sessionId === undefined || id === sessionId) lowest = Math.min(last.low, lowest ?? last.low);
    return lowest;
  }

  /** Answers whether anything was known of it. */
  forget(sessionId: string): boolean {
    this.pointCount -= this.of(sessionId).length;
    const wasRecent = this.recent.delete(sessionId);
    return this.older.delete(sessionId) || wasRecent;
  }

  /** Of sessions beyond those that are recent only what cannot be told otherwise stays. */
  private reduce(wentAhead: (point: Point, sessionId: string) => boolean): readonly string[] {
    const reduced: string[] = [];
    for (const sessionId of this.recent.keys()) {
      if (this.recent.size <= RECENT_SESSIONS_KEPT) break;
      reduced.push(sessionId);
      const all = this.of(sessionId);
      const left = all.filter((point) => wentAhead(point, sessionId)).slice(-AHEAD_KEPT);
      this.pointCount += left.length - all.length;
      this.recent.delete(sessionId);
      if (left.length > 0) this.older.set(sessionId, left);
    }
    for (const sessionId of this.older.keys()) {
      if (this.older.size <= OLDER_SESSIONS_KEPT) break;
      this.forget(sessionId);
      reduced.push(sessionId);
    }
    return reduced;
  }
}

function eventCount(runs: readonly RunLows[]): number {
  return runs.reduce((sum, run) => sum + run.count(), 0);
}
