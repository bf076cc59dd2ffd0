// Reads one session of a journal, piece by piece.
import type { Millis } from "../../contracts/clock.js";
import { type Pace, playedPauseMs } from "../../daemon/replay/player.js";
import type { RecordedEvent, RecordedSession } from "../../daemon/replay/recorded-session.js";
import type { Epoch } from "../../engine/event/event.js";
import type { LoadedBlock } from "../../storage/blocks/block-reader.js";
import type { SessionFacts } from "./journal-facts.js";

/** Most text of the events in one read, UTF-16 units; the last event may exceed it. */
const MOST_UNITS = 1024 * 1024;

type Blocks = (from: Epoch) => Iterable<LoadedBlock>;

/** Yields the events of the session from epoch `from` on, block by block. */
function* rowsFrom(from: Epoch, { sessionId, lastEpoch, state }: SessionFacts, blocks: Blocks) {
  const end = state === "open" ? Number.POSITIVE_INFINITY : lastEpoch;
  for (const { block, first, count } of blocks(from)) {
    if (first > end) break;
    for (let index = Math.max(0, from - first); block !== undefined && index < count; index += 1)
      if (block.isAmong(index, { sessionId })) yield { block, index };
  }
}

/** `blocks` yields, in order, the blocks that contain an epoch or follow it. An open session also includes events journaled meanwhile. */
export function journalSession(facts: SessionFacts, blocks: Blocks): RecordedSession {
  return {
    sessionId: facts.sessionId,
    read: (after, limit) => {
      const events: RecordedEvent[] = [];
      let units = 0;
      for (const { block, index } of rowsFrom(Math.max(after + 1, facts.firstEpoch), facts, blocks)) {
        const event = block.entry(index, 0);
        events.push({ ...event, receivedAt: block.wallTime(index) });
        units += event.source?.length ?? 0;
        if (events.length === limit || units >= MOST_UNITS) break;
      }
      return events;
    },
  };
}

/** Returns how long the session would play, ms, by the events journaled so far. */
export function playedLengthMs(facts: SessionFacts, blocks: Blocks, pace: Pace): Millis {
  let lengthMs = 0;
  let last: number | undefined;
  for (const { block, index } of rowsFrom(facts.firstEpoch, facts, blocks)) {
    const at = block.wallTime(index);
    lengthMs += last === undefined ? 0 : playedPauseMs(last, at, pace);
    last = at;
  }
  return lengthMs;
}
