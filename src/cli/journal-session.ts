// One session out of a journal, read piece by piece.
import type { RecordedEvent, RecordedSession } from "../daemon/recorded-session.js";
import type { Epoch } from "../engine/event.js";
import type { LoadedBlock } from "../storage/block-reader.js";
import type { SessionFacts } from "./journal-facts.js";

/**
 * `blocks` gives those that hold an epoch or come after it, in order. Of a session that is still open what is journaled meanwhile is read as well.
 */
export function journalSession(facts: SessionFacts, blocks: (from: Epoch) => Iterable<LoadedBlock>): RecordedSession {
  const { sessionId, firstEpoch, lastEpoch, state } = facts;
  const end = state === "open" ? Number.POSITIVE_INFINITY : lastEpoch;

  return {
    sessionId,
    read: (after, limit) => {
      const from = Math.max(after + 1, firstEpoch);
      const events: RecordedEvent[] = [];
      for (const { block, first, count } of blocks(from)) {
        if (first > end) break;
        for (let index = Math.max(0, from - first); block !== undefined && index < count; index += 1) {
          if (!block.isAmong(index, { sessionId })) continue;
          events.push({ ...block.entry(index, 0), receivedAt: block.wallTime(index) });
          if (events.length === limit) return events;
        }
      }
      return events;
    },
  };
}
