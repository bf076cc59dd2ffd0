// A session as recorded in a journal, made playable as a tape. Files, time and subscriptions are no concern of this file.
import { derivedEventId, type IdServices } from "../../engine/event/derived-id.js";
import type { Epoch, NewEvent } from "../../engine/event/event.js";
import { type DaemonEventFacts, everyLanguage, gapEvent } from "../../engine/notices/daemon-events.js";

/** An event of the session as it was journaled. */
export interface RecordedEvent extends NewEvent {
  /** Epoch in the journal of the recording. */
  readonly epoch: Epoch;
  /** When the daemon received the event, milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface RecordedSession {
  readonly sessionId: string;
  /**
   * Returns at most `limit` events of the session above an epoch, ascending, fewer if their texts are long; none after the last. Holds nothing open
   * between calls.
   */
  readonly read: (after: Epoch, limit: number) => readonly RecordedEvent[];
}

/** The events to play, in order. */
export interface Tape {
  /** The next event; undefined after the last. */
  readonly next: () => RecordedEvent | undefined;
  /**
   * Reads events again, beginning with the one played as this epoch; none if they are no longer readable, for example after retention. The returned
   * epochs are those of the recording.
   */
  readonly again: (epoch: Epoch) => readonly RecordedEvent[];
  /** Epoch of the first event in the listener's journal; the epochs of the others follow without holes. */
  readonly firstEpoch: Epoch;
}

const BATCH_COUNT = 256;

/** The facts needed of the preceding event. */
interface Before {
  readonly ordinal: number;
  readonly eventId: string;
  readonly timestamp: string;
}

/** The result of one read. */
interface Batch {
  /** Epoch as which the first event is played. */
  readonly place: Epoch;
  /** The event played before the first. */
  readonly before: Before | undefined;
  /** The read began behind this epoch of the recording and brought `readCount` events up to `lastEpoch`. */
  readonly after: Epoch;
  readonly readCount: number;
  readonly lastEpoch: Epoch;
  /** Number of played events, declared gaps included. */
  readonly playedCount: number;
}

/**
 * Makes the tape of a session from its beginning. If events are missing, because of retention or damage, the tape declares a gap in their place
 * (R27).
 */
export function createTape(session: RecordedSession, ids: IdServices, defaultLanguage: string): Tape {
  const batches: Batch[] = [];
  const firstEpoch = session.read(Number.NEGATIVE_INFINITY, BATCH_COUNT)[0]?.epoch ?? 1;
  // Events of the newest batch.
  let played: readonly RecordedEvent[] = [];
  let index = 0;

  const gapBetween = (last: Before | undefined, event: RecordedEvent, place: Epoch): RecordedEvent => {
    const { session_id: sessionId, producer, timestamp } = event.event;
    const facts: DaemonEventFacts = {
      sessionId,
      producer,
      timestamp: last?.timestamp ?? timestamp,
      // Derived, so that a second read makes the same id.
      eventId: derivedEventId(
        { epoch: place, start: 0, end: 0, sessionId, about: `gap ${event.ordinal}`, shape: "", boundaries: [] },
        ids,
      ),
      audience: everyLanguage(defaultLanguage),
    };
    return {
      ...event,
      event: gapEvent(facts, {
        eventCount: missingBetween(last, event),
        reason: "aged_out",
        fromState: "idle",
        toState: "idle",
      }),
      kind: "state.changed",
      source: undefined,
      published: undefined,
      made: "state",
      ordinal: event.ordinal - 1,
    };
  };

  /** Adds the gaps between the events. */
  const playedOf = (events: readonly RecordedEvent[], before: Before | undefined, place: Epoch) => {
    const all: RecordedEvent[] = [];
    let last = before;
    for (const event of events) {
      if (missingBetween(last, event) > 0) all.push(gapBetween(last, event, place + all.length));
      all.push(event);
      last = beforeOf(event);
    }
    return all;
  };

  const readOn = (): void => {
    const newest = batches.at(-1);
    const after = newest?.lastEpoch ?? Number.NEGATIVE_INFINITY;
    const events = session.read(after, BATCH_COUNT);
    const lastEpoch = events.at(-1)?.epoch;
    if (lastEpoch === undefined) return;
    const place = newest === undefined ? firstEpoch : newest.place + newest.playedCount;
    const last = played.at(-1);
    const before = last && beforeOf(last);
    played = playedOf(events, before, place);
    index = 0;
    batches.push({ place, before, after, readCount: events.length, lastEpoch, playedCount: played.length });
  };

  return {
    firstEpoch,
    next: () => {
      if (index === played.length) readOn();
      const event = played[index];
      if (event !== undefined) index += 1;
      return event;
    },
    again: (epoch) => {
      const batch = batches.findLast(({ place }) => place <= epoch);
      if (batch === undefined) return [];
      const { place, before, after, readCount, lastEpoch, playedCount } = batch;
      const read = session.read(after, BATCH_COUNT);
      // An open session may have more events by now, a session cut by retention fewer.
      if (read[readCount - 1]?.epoch !== lastEpoch) return [];
      const events = playedCount === readCount ? read : playedOf(read.slice(0, readCount), before, place);
      return events.slice(epoch - place, playedCount);
    },
  };
}

function beforeOf({ event, ordinal }: RecordedEvent): Before {
  return { ordinal, eventId: event.event_id, timestamp: event.timestamp };
}

/** Events of agents are numbered without holes; a notice has the number of its question. */
function missingBetween(last: Before | undefined, { ordinal }: RecordedEvent): number {
  return ordinal - (last?.ordinal ?? 0) - 1;
}
