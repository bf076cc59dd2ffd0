// A session as a journal has it, to be played again. What must not live here: files, time, subscriptions.
import { derivedEventId, type IdServices } from "../../engine/event/derived-id.js";
import type { Epoch, NewEvent } from "../../engine/event/event.js";
import { type DaemonEventFacts, everyLanguage, gapEvent } from "../../engine/notices/daemon-events.js";

/** An event of the session as it was journaled. */
export interface RecordedEvent extends NewEvent {
  /** In the journal that it stands in. */
  readonly epoch: Epoch;
  /** When the daemon received it, milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface RecordedSession {
  readonly sessionId: string;
  /**
   * At most `limit` events of the session above an epoch, ascending, fewer where their texts are long; none after the last. Holds nothing open in
   * between.
   */
  readonly read: (after: Epoch, limit: number) => readonly RecordedEvent[];
}

/** What is played, in order. */
export interface Tape {
  /** The next event; undefined after the last. */
  readonly next: () => RecordedEvent | undefined;
  /**
   * Some of what was given, from the event on that is played as this epoch, read again; none where it cannot be read any more, as where retention has
   * taken it since. Their epochs are those of the recording.
   */
  readonly again: (epoch: Epoch) => readonly RecordedEvent[];
  /** The epoch of the first event in the journal of whoever plays it; those of the others follow without holes. */
  readonly firstEpoch: Epoch;
}

const BATCH_COUNT = 256;

/** What of the event before another is asked for. */
interface Before {
  readonly ordinal: number;
  readonly eventId: string;
  readonly timestamp: string;
}

/** What was read at once. */
interface Batch {
  /** The epoch that the first of it is played as. */
  readonly place: Epoch;
  /** The event that was played before it. */
  readonly before: Before | undefined;
  /** Read after this epoch of the recording, so many events up to that one. */
  readonly after: Epoch;
  readonly readCount: number;
  readonly lastEpoch: Epoch;
  /** With the gaps that are declared between them. */
  readonly playedCount: number;
}

/**
 * The session from its beginning. Where events are missing, because retention has taken them or the journal is damaged, a gap is declared in their
 * place (R27).
 */
export function createTape(session: RecordedSession, ids: IdServices, defaultLanguage: string): Tape {
  const batches: Batch[] = [];
  const firstEpoch = session.read(Number.NEGATIVE_INFINITY, BATCH_COUNT)[0]?.epoch ?? 1;
  // Of the newest batch.
  let played: readonly RecordedEvent[] = [];
  let index = 0;

  const gapBetween = (last: Before | undefined, event: RecordedEvent, place: Epoch): RecordedEvent => {
    const { session_id: sessionId, producer, timestamp } = event.event;
    const facts: DaemonEventFacts = {
      sessionId,
      producer,
      timestamp: last?.timestamp ?? timestamp,
      // Read again it is the same.
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

  /** With the gaps between them. */
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
      // Of a session that was open there may be more by now, of one that is not kept whole there is less.
      if (read[readCount - 1]?.epoch !== lastEpoch) return [];
      const events = playedCount === readCount ? read : playedOf(read.slice(0, readCount), before, place);
      return events.slice(epoch - place, playedCount);
    },
  };
}

function beforeOf({ event, ordinal }: RecordedEvent): Before {
  return { ordinal, eventId: event.event_id, timestamp: event.timestamp };
}

/** An agent's events are numbered; a notice has the number of its question. */
function missingBetween(last: Before | undefined, { ordinal }: RecordedEvent): number {
  return ordinal - (last?.ordinal ?? 0) - 1;
}
