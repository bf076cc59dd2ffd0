// The events that report a loss to a subscription: one gap for each session, and the session's end if no other event reports it (R17, R27).
import type { Journal } from "../../contracts/journal.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { Evictions, SessionLoss } from "../journal/evictions.js";
import type { Loss } from "../notices/daemon-events.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { NoticeSeries } from "../notices/notice-series.js";
import type { EndedSession } from "../sessions/ended-sessions.js";
import type { SessionSummary } from "../sessions/session-record.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Terms } from "../terms/terms.js";
import type { DeliveredBefore } from "./catch-up-point.js";

export interface GapEventsServices {
  readonly journal: Pick<Journal, "find">;
  readonly sessions: Pick<Sessions, "summary" | "ended" | "endedSince">;
  readonly evictions: Pick<Evictions, "since" | "upTo">;
  readonly noticeFactory: Pick<NoticeFactory, "gap" | "gapOfEnded">;
}

/** A gap, or the end of a session; `epoch` is that of the end in the journal. */
export interface GapEvent {
  readonly event: AgentEvent;
  readonly epoch: Epoch | undefined;
}

export interface GapEvents {
  /** For a reader that finds the journal cut off after an epoch. Each event is made when it is asked for (R34). */
  readonly gapEvents: (terms: Terms, after: Epoch, given: DeliveredBefore) => Iterable<GapEvent>;
  /**
   * For a subscription that continues live, because everything after an epoch is lost to it. If `after` is undefined, the epoch is not known, and
   * ends of sessions are not reported.
   */
  readonly lateGaps: (after: Epoch | undefined) => LateGaps;
}

/** The loss of a subscription that continues live. */
export interface LateGaps {
  /** For sessions that ended since: a gap, and the end. */
  readonly ended: NoticeSeries;
  /** The loss of an open session, for its summary. */
  readonly lostOf: (session: SessionSummary) => Loss | undefined;
}

export function createGapEvents(services: GapEventsServices): GapEvents {
  const { journal, sessions, evictions, noticeFactory } = services;
  const gapOf = (sessionId: string, terms: Terms, lost: Loss): AgentEvent | undefined => {
    const open = sessions.summary(sessionId);
    if (open !== undefined) return noticeFactory.gap(open, terms, lost);
    const last = sessions.ended(sessionId)?.terminal.event;
    return last && noticeFactory.gapOfEnded(last, terms, lost);
  };

  function* eventsOf(lost: readonly SessionLoss[], terms: Terms, given: DeliveredBefore): Iterable<GapEvent> {
    for (const loss of lost) {
      // Reading begins at the oldest pending event, so all events of another session may be delivered.
      if (given.all(loss)) continue;
      const { sessionId, eventCount } = loss;
      const gap = gapOf(sessionId, terms, { eventCount, reason: "aged_out" });
      if (gap === undefined) continue;
      yield { event: gap, epoch: undefined };
      const terminal = sessions.ended(sessionId)?.terminal;
      if (terminal === undefined || journal.find(terminal.event.event_id) !== undefined) continue;
      // The journal no longer has the end of the session; the room sessions remembers it longer. An end that was evicted later belongs to the next
      // gap.
      const epoch = "epoch" in terminal ? terminal.epoch : undefined;
      if (epoch !== undefined && epoch > loss.lastEpoch) continue;
      if ("epoch" in terminal && given.event(terminal)) continue;
      yield { event: terminal.event, epoch };
    }
  }

  return {
    // The losses are counted now. Events that age out later are another gap.
    gapEvents: (terms, after, given) =>
      eventsOf(
        evictions.since(after, (id) => given.last(id)?.ordinal),
        terms,
        given,
      ),
    lateGaps: (after) => {
      const lossOf = (sessionId: string, totalCount: number): Loss | undefined => {
        const eventCount = evictions.upTo(sessionId, totalCount, after ?? 0);
        const reason = after === undefined ? "unknown_place" : "resumed_too_late";
        return eventCount > 0 ? { eventCount, reason } : undefined;
      };
      // The list is fixed now. A session that ends later is reported when it ends.
      const ended = new Map<string, EndedSession>();
      for (const one of after === undefined ? [] : sessions.endedSince(Number.NEGATIVE_INFINITY))
        if (!("epoch" in one.terminal) || one.terminal.epoch > (after ?? 0)) ended.set(one.sessionId, one);
      return {
        ended: {
          keys: [...ended.keys()],
          eventsOf: (sessionId, terms) => {
            const terminal = ended.get(sessionId)?.terminal;
            if (terminal === undefined) return [];
            const lost = lossOf(sessionId, terminal.ordinal);
            return lost === undefined
              ? [terminal.event]
              : [noticeFactory.gapOfEnded(terminal.event, terms, lost), terminal.event];
          },
          release: () => {},
        },
        lostOf: ({ sessionId, eventCount }) => lossOf(sessionId, eventCount),
      };
    },
  };
}
