// The journal of one listener to a replay: the newest events in memory, earlier ones read from the recording again. Each listener therefore holds
// little, however long the session is.
import type { Appended, Journal, JournalRead } from "../../contracts/journal.js";
import {
  type Epoch,
  type Evicted,
  isSelected,
  type JournaledEvent,
  type JournalSelection,
  type NewEvent,
} from "../../engine/event/event.js";
import { createJournalRing } from "../../engine/journal/journal-ring.js";
import type { RecordedEvent, Tape } from "./recorded-session.js";

export interface TapeJournalOptions {
  /** `Journal.id`: one id for all listeners of the recording. */
  readonly id: string;
  /** The tape of this journal: exactly its events are appended, in its order. */
  readonly tape: Pick<Tape, "firstEpoch" | "again">;
  /** Converts an event's `at` into milliseconds since 1970. */
  readonly wallTimeOffsetMs: number;
  /** Receives each event that can no longer be read, in order. An event that retention has taken is reported when a read misses it. */
  readonly evicted?: (event: Evicted) => void;
  /** Time of the earliest played event. */
  readonly startedAt: number;
  /** Most events that can be read. Default 16,384. */
  readonly maxEvents?: number;
  /** Most events in memory. Default 1,024, with 2 MiB. */
  readonly maxHeldEvents?: number;
}

const MOST_HELD_BYTES = 2 * 1024 * 1024;

/** Creates the journal. `find` covers the events in memory, every other method all readable events. */
export function createTapeJournal(options: TapeJournalOptions): Journal {
  const { id, tape, wallTimeOffsetMs, startedAt, evicted, maxEvents = 16_384, maxHeldEvents = 1024 } = options;
  const { firstEpoch } = tape;
  const ring = createJournalRing({
    id,
    firstEpoch,
    wallTimeOffset: () => wallTimeOffsetMs,
    maxEvents: maxHeldEvents,
    maxBytes: MOST_HELD_BYTES,
  });
  const { head } = ring;
  // Ordinals of played events not yet reported as gone, in a circle by epoch, so that the report needs no second read.
  const ordinals: number[] = [];
  let sessionId = "";
  let goneTo = firstEpoch - 1;

  const tellGone = (before: Epoch): void => {
    for (let epoch = goneTo + 1; epoch < before; epoch += 1) {
      goneTo = epoch;
      evicted?.({ sessionId, epoch, ordinal: ordinals[(epoch - firstEpoch) % maxEvents] ?? 0 });
    }
  };

  const append = (events: readonly NewEvent[]): Appended => {
    const appended = ring.append(events);
    for (const { event, epoch, ordinal } of appended.events) {
      tellGone(epoch + 1 - maxEvents);
      sessionId = event.session_id;
      ordinals[(epoch - firstEpoch) % maxEvents] = ordinal;
    }
    return appended;
  };

  const gap = (from: Epoch): JournalRead => {
    tellGone(from);
    return { kind: "gap", oldest: from };
  };

  const oldest = (): Epoch => Math.max(firstEpoch, head() + 1 - maxEvents);

  /** The time of playing is known only for events in memory. */
  const entryOf = ({ receivedAt: _, ...event }: RecordedEvent, epoch: Epoch): JournaledEvent => {
    return { ...event, at: startedAt, epoch };
  };

  const at = (epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined => {
    if (epoch >= ring.oldest()) return ring.at(epoch, only);
    const [event] = epoch < oldest() ? [] : tape.again(epoch);
    return event === undefined || (only !== undefined && !isSelected(placeOf(event), only))
      ? undefined
      : entryOf(event, epoch);
  };

  /** Reads events before those in memory, from `epoch` on, as many as one read returns. */
  const again = (epoch: Epoch, limit: number): readonly JournaledEvent[] =>
    tape
      .again(epoch)
      .slice(0, Math.min(limit, ring.oldest() - epoch))
      .map((event, index) => entryOf(event, epoch + index));

  const read = (after: Epoch, limit: number): JournalRead => {
    if (after + 1 < oldest() && after < head()) return gap(oldest());
    const events: JournaledEvent[] = [];
    let epoch = Math.max(after + 1, oldest());
    while (epoch < ring.oldest() && events.length < limit) {
      const some = again(epoch, limit - events.length);
      if (some.length === 0) return events.length > 0 ? { kind: "events", events } : gap(ring.oldest());
      events.push(...some);
      epoch += some.length;
    }
    for (; epoch <= head() && events.length < limit; epoch += 1) {
      const entry = ring.at(epoch);
      if (entry !== undefined) events.push(entry);
    }
    return { kind: "events", events };
  };

  return {
    ...ring,
    append,
    read,
    oldest,
    at,
    status: () => ({ ...ring.status(), eventCount: head() + 1 - oldest() }),
  };
}

function placeOf({ event: { session_id: sessionId, output_id: id }, kind }: RecordedEvent) {
  const outputId = typeof id === "string" ? id : "";
  return { sessionId, kind, outputId: kind === "output.streaming" ? outputId : undefined };
}
