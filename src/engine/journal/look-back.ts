// Reads the journal backwards from one event, to rebuild a merged event, or to find where a piece of text began (R10, R28).
import type { Journal } from "../../contracts/journal.js";
import type { JournaledEvent } from "../event/event.js";
import { type EpochSteps, ONE_BOOT } from "./epoch-boots.js";

/** Most events passed over on the way back, those of other sessions and outputs among them. */
const SCANNED_EVENT_COUNT = 16_384;

/**
 * The events from `from` backwards, with `from` first: of its session and kind, and of its output if it is a chunk. Each event is read once, however
 * often the result is iterated. At most `mostRead` events are read, `from` among them.
 */
export function lookBack(
  journal: Pick<Journal, "at" | "oldest">,
  from: JournaledEvent,
  mostRead: number,
  steps: EpochSteps = ONE_BOOT,
): Iterable<JournaledEvent> {
  const { session_id: sessionId, output_id: output } = from.event;
  const outputId = typeof output === "string" ? output : "";
  const only =
    from.kind === "output.streaming" ? { sessionId, kind: from.kind, outputId } : { sessionId, kind: from.kind };
  const lowest = journal.oldest();
  const read = [from];
  let epoch = from.epoch;
  let scannedCount = 0;

  const readOn = (): boolean => {
    while (epoch > lowest && scannedCount < SCANNED_EVENT_COUNT && read.length < mostRead) {
      epoch = steps.previous(epoch);
      scannedCount += 1;
      const entry = journal.at(epoch, only);
      if (entry === undefined) continue;
      read.push(entry);
      return true;
    }
    return false;
  };

  return {
    *[Symbol.iterator]() {
      for (let index = 0; index < read.length || readOn(); index += 1) {
        const entry = read[index];
        if (entry !== undefined) yield entry;
      }
    },
  };
}
