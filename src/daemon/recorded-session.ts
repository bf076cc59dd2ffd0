// A session as a journal has it, to be played again. What must not live here: files, time, subscriptions.
import { type DaemonEventFacts, everyLanguage, gapEvent } from "../engine/daemon-events.js";
import { type IdServices, parseDerivedId } from "../engine/derived-id.js";
import type { Epoch, NewEvent } from "../engine/event.js";
import type { ResumeAfter } from "../engine/resume-start.js";

/** An event of the session as it was journaled. */
export interface RecordedEvent extends NewEvent {
  /** In the journal that it stands in. */
  readonly epoch: Epoch;
  /** When the daemon received it, milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface RecordedSession {
  readonly sessionId: string;
  /** At most `limit` events of the session above an epoch, ascending; none after the last. Holds nothing open in between. */
  readonly read: (after: Epoch, limit: number) => readonly RecordedEvent[];
}

/** What is played, in order. */
export interface Tape {
  /** The next event; undefined after the last. */
  readonly next: () => RecordedEvent | undefined;
  /** The epoch of the first event in the journal of whoever plays it; those of the others follow without holes. */
  readonly firstEpoch: Epoch;
}

const BATCH_COUNT = 256;

/**
 * The session from its beginning. Where events are missing, because retention has taken them or the journal is damaged, a gap is declared in their
 * place (R27).
 */
export function createTape(session: RecordedSession, ids: IdServices, defaultLanguage: string): Tape {
  let batch = session.read(Number.NEGATIVE_INFINITY, BATCH_COUNT);
  const firstEpoch = batch[0]?.epoch ?? 1;
  let index = 0;
  let count = 0;
  let last: RecordedEvent | undefined;

  const peek = (): RecordedEvent | undefined => {
    if (index === batch.length && last !== undefined) {
      batch = session.read(last.epoch, BATCH_COUNT);
      index = 0;
    }
    return batch[index];
  };

  /** An agent's events are numbered; a notice has the number of its question. */
  const missingBefore = ({ ordinal }: RecordedEvent): number => ordinal - (last?.ordinal ?? 0) - 1;

  const gapBefore = (event: RecordedEvent): RecordedEvent => {
    const { session_id: sessionId, producer, timestamp } = event.event;
    const facts: DaemonEventFacts = {
      sessionId,
      producer,
      timestamp: last?.event.timestamp ?? timestamp,
      epoch: firstEpoch + count - 1,
      shape: "",
      audience: everyLanguage(defaultLanguage),
    };
    return {
      ...event,
      event: gapEvent(facts, ids, {
        afterEventId: last?.event.event_id,
        eventCount: missingBefore(event),
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

  return {
    firstEpoch,
    next: () => {
      const event = peek();
      if (event === undefined) return undefined;
      const played = missingBefore(event) > 0 ? gapBefore(event) : event;
      if (played === event) index += 1;
      // The gap's place is before the event, which is read after it.
      last = played === event ? event : { ...played, epoch: last?.epoch ?? event.epoch - 1 };
      count += 1;
      return played;
    },
  };
}

/**
 * How many events of a new tape were played when a subscriber was given the event that it names as its last; 0 where that is none of them: it hears
 * the session from its beginning.
 */
export function playedUpTo(tape: Tape, sessionId: string, resume: ResumeAfter): number {
  const eventId = resume.kind === "event" ? resume.eventId : resume.eventIds.get(sessionId);
  if (eventId === undefined) return 0;
  const merged = parseDerivedId(eventId);
  let count = 0;
  for (let event = tape.next(); event !== undefined; event = tape.next()) {
    count += 1;
    if (event.event.event_id === eventId) return count;
  }
  const place = merged === undefined ? 0 : merged.epoch - tape.firstEpoch + 1;
  return place >= 1 && place <= count ? place : 0;
}
