// What a subscription is told of a loss: one event for each session, and how it ended where nothing else tells that any more (R17, R27).
import type { Journal } from "../../contracts/journal.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { Losses, SessionLoss } from "../journal/losses.js";
import type { Standpoint } from "../journal/standpoint.js";
import type { Sayings } from "../notices/sayings.js";
import type { LostPart, Spokesman } from "../notices/spokesman.js";
import type { EndedSession } from "../sessions/ended-sessions.js";
import type { SessionStandings } from "../sessions/session-standings.js";
import type { Sessions } from "../sessions/sessions.js";
import type { Terms } from "../terms/terms.js";
import type { Given } from "./reading-point.js";

export interface GapEventsServices {
  readonly journal: Pick<Journal, "find">;
  readonly sessions: Pick<Sessions, "summary" | "ended" | "endedSince">;
  readonly losses: Pick<Losses, "since" | "upTo">;
  readonly standings: Pick<SessionStandings, "now">;
  readonly spokesman: Pick<Spokesman, "gap" | "gapOfEnded">;
  /** The newest event of a recorded session that is played: it is neither open nor over here. */
  readonly played: (sessionId: string) => AgentEvent | undefined;
}

/** A gap, or how a session ended; with the epoch that this had in the journal. */
export interface GapEvent {
  readonly event: AgentEvent;
  readonly epoch: Epoch | undefined;
}

export interface GapEvents {
  /** For a reader that finds the journal cut off after an epoch, each made when it is asked for (R34). `at`: where the reader goes on. */
  readonly gapEvents: (terms: Terms, after: Epoch, given: Given, at: Standpoint) => Iterable<GapEvent>;
  /**
   * For a subscription that resumes too late and goes on live: everything after an epoch is lost to it, of all sessions, or of each in a map after an
   * epoch of its own. Of each a gap, and how it ended where it has by now. `at`: where it goes on.
   */
  readonly lateGapEvents: (after: Epoch | ReadonlyMap<string, Epoch>, at: Standpoint) => Sayings;
}

export function createGapEvents(services: GapEventsServices): GapEvents {
  const { journal, sessions, losses, standings, spokesman, played } = services;
  const gapOf = (sessionId: string, terms: Terms, at: Standpoint, lost: LostPart): AgentEvent | undefined => {
    const open = sessions.summary(sessionId);
    if (open !== undefined) return spokesman.gap(open, terms, at, lost);
    const last = sessions.ended(sessionId)?.terminal.event ?? played(sessionId);
    return last && spokesman.gapOfEnded(last, terms, at, lost);
  };

  function* eventsOf(lost: readonly SessionLoss[], terms: Terms, given: Given, at: Standpoint): Iterable<GapEvent> {
    for (const loss of lost) {
      // Reading begins at the oldest thing owed: of other sessions all may have been given.
      if (given.all(loss)) continue;
      const { sessionId, eventCount } = loss;
      const afterEventId = given.last(sessionId)?.event.event_id;
      const gap = gapOf(sessionId, terms, at, { afterEventId, eventCount, reason: "aged_out" });
      if (gap === undefined) continue;
      yield { event: gap, epoch: undefined };
      const terminal = sessions.ended(sessionId)?.terminal;
      if (terminal === undefined || journal.find(terminal.event.event_id) !== undefined) continue;
      // The journal has let go of how it ended; the sessions remember that longer. An end that went since belongs to the next gap.
      const epoch = "epoch" in terminal ? terminal.epoch : undefined;
      if (epoch !== undefined && epoch > loss.lastEpoch) continue;
      if ("epoch" in terminal && given.event(terminal)) continue;
      yield { event: terminal.event, epoch };
    }
  }

  return {
    // The losses are counted now: events that age out from here on are another gap.
    gapEvents: (terms, after, given, at) =>
      eventsOf(
        losses.since(after, (id) => given.last(id)?.ordinal),
        terms,
        given,
        at,
      ),
    lateGapEvents: (after, at) => {
      const afterOf = (sessionId: string): Epoch | undefined =>
        typeof after === "number" ? after : after.get(sessionId);
      // A session that ends from here on is told of as it ends.
      const ended = new Map<string, EndedSession>();
      for (const one of sessions.endedSince(Number.NEGATIVE_INFINITY)) {
        const since = afterOf(one.sessionId);
        if (since === undefined) continue;
        // A session that is named is told in any case; of the others those that ended since.
        if (typeof after === "number" && "epoch" in one.terminal && one.terminal.epoch <= after) continue;
        ended.set(one.sessionId, one);
      }
      const { ids, of, release } = standings.now();
      const lostOf = (sessionId: string, totalCount: number): LostPart | undefined => {
        const eventCount = losses.upTo(sessionId, totalCount, afterOf(sessionId) ?? 0);
        return eventCount > 0 ? { afterEventId: undefined, eventCount, reason: "resumed_too_late" } : undefined;
      };
      return {
        keys: [...ended.keys(), ...ids.filter((id) => afterOf(id) !== undefined)],
        eventsOf: (sessionId, terms) => {
          const over = ended.get(sessionId);
          if (over !== undefined) {
            const { event, ordinal } = over.terminal;
            const lost = lostOf(sessionId, ordinal);
            return lost === undefined ? [event] : [spokesman.gapOfEnded(event, terms, at, lost), event];
          }
          const session = of(sessionId);
          const lost = session && lostOf(sessionId, session.eventCount);
          return session === undefined || lost === undefined ? [] : [spokesman.gap(session, terms, at, lost)];
        },
        release,
      };
    },
  };
}
