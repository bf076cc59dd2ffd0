// The journal of one listener to a replay: the newest of what was played in memory, and what came before it read from the recording again. So each
// listener holds a little, however long the session is.
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
  /** `Journal.id`: one for all who hear the recording. */
  readonly id: string;
  /** What is appended is what this tape gives, in its order and nothing else. */
  readonly tape: Pick<Tape, "firstEpoch" | "again">;
  /** What turns an event's `at` into milliseconds since 1970. */
  readonly wallTimeOffsetMs: number;
  /** Told of each event that can no longer be read, in order. What retention has taken since is told when somebody finds it gone. */
  readonly evicted?: (event: Evicted) => void;
  /** No event was played earlier than this. */
  readonly startedAt: number;
  /** Most events that can be read. Default 16,384. */
  readonly maxEvents?: number;
  /** Most of them that are in memory. Default 1,024, of 2 MiB. */
  readonly maxHeldEvents?: number;
}

const MOST_HELD_BYTES = 2 * 1024 * 1024;

/** Finds ids among what is in memory; all else in all that can be read. */
export function createTapeJournal(options: TapeJournalOptions): Journal {
  const { id, tape, wallTimeOffsetMs, startedAt, evicted, maxEvents = 16_384, maxHeldEvents = 1024 } = options;
  const { firstEpoch } = tape;
  const ring = createJournalRing({
    id,
    firstEpoch,
    wallTimeOffsetMs,
    maxEvents: maxHeldEvents,
    maxBytes: MOST_HELD_BYTES,
  });
  const { head } = ring;
  // Of what was played and not told as gone, by epoch in a circle: to tell of it, nothing is read again.
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

  /** When it was played is known of what is in memory alone. */
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

  /** What is no longer in memory, from `epoch` on: as much of it as is read at once. */
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
