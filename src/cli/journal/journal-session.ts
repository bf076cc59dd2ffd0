// Reads one session of a journal, piece by piece.
import type { Millis } from "../../contracts/clock.js";
import type { Epoch } from "../../engine/event/event.js";
import type { LoadedBlock } from "../../storage/blocks/block-reader.js";
import type { SessionFacts } from "./journal-facts.js";

export interface RecordedEvent {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Time to wait after the event before, ms. */
  readonly pauseMs: Millis;
}

export interface RecordedPace {
  /** Factor of the recorded pace. Above 0. */
  readonly speed: number;
  /** Longest pause between two played events, ms. Default: no limit. */
  readonly longestPauseMs?: Millis | undefined;
}

/** Most events in one read, and most of their text, UTF-16 units; the last event may exceed it. */
const MOST_EVENTS = 256;
const MOST_UNITS = 1024 * 1024;

type Blocks = (from: Epoch) => Iterable<LoadedBlock>;

/** Yields the events of the session from epoch `from` on, block by block. */
function* rowsFrom(from: Epoch, { sessionId, lastEpoch, state }: SessionFacts, blocks: Blocks) {
  const end = state === "open" ? Number.POSITIVE_INFINITY : lastEpoch;
  for (const { block, first, count } of blocks(from)) {
    if (first > end) break;
    for (let index = Math.max(0, from - first); block !== undefined && index < count; index += 1)
      if (block.isAmong(index, { sessionId })) yield { block, index, epoch: first + index };
  }
}

/** The pause between two events as played, ms. `last`: when the daemon received the one before; undefined for the first. */
function playedPauseMs(last: number | undefined, receivedAt: number, { speed, longestPauseMs }: RecordedPace): Millis {
  const pauseMs = Math.max(0, receivedAt - (last ?? receivedAt)) / speed;
  return Math.min(pauseMs, longestPauseMs ?? pauseMs);
}

/**
 * Yields the session's events, of an open session also those that are journaled meanwhile. `blocks` yields, in order, the blocks that contain an
 * epoch or follow it. Nothing is held open between two reads, because the journal cannot free what a reader holds.
 */
export function* recordedEvents(facts: SessionFacts, blocks: Blocks, pace: RecordedPace): Generator<RecordedEvent> {
  let from = facts.firstEpoch;
  let last: number | undefined;
  for (;;) {
    const events: RecordedEvent[] = [];
    let units = 0;
    for (const { block, index, epoch } of rowsFrom(from, facts, blocks)) {
      const { event, source } = block.entry(index, 0);
      const receivedAt = block.wallTime(index);
      events.push({ fields: event, pauseMs: playedPauseMs(last, receivedAt, pace) });
      last = receivedAt;
      from = epoch + 1;
      units += source?.length ?? 0;
      if (events.length === MOST_EVENTS || units >= MOST_UNITS) break;
    }
    if (events.length === 0) return;
    yield* events;
  }
}

/** Returns how long the session would play, ms, by the events journaled so far. */
export function playedLengthMs(facts: SessionFacts, blocks: Blocks, pace: RecordedPace): Millis {
  let lengthMs = 0;
  let last: number | undefined;
  for (const { block, index } of rowsFrom(facts.firstEpoch, facts, blocks)) {
    const at = block.wallTime(index);
    lengthMs += playedPauseMs(last, at, pace);
    last = at;
  }
  return lengthMs;
}
