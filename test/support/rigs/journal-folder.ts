// A journal on disk as runs of daemons leave it.
import { createClock } from "../../../src/daemon/platform/clock.js";
import type { RecordedEvent } from "../../../src/daemon/replay/recorded-session.js";
import { temporaryDirectory } from "../temporary-directory.js";
import { openRig } from "./journal-rig.js";

/** When the runs begin whose events `record` has. */
export const RECORDED_FROM = Date.UTC(2026, 4, 24, 14);

/** One run for each list of events; each is written as it came. Answers the folder. */
export async function journalFolder(...runs: readonly (readonly RecordedEvent[])[]): Promise<string> {
  const directory = temporaryDirectory();
  for (const events of runs) {
    const { journal } = await openRig({
      directory,
      clock: { ...createClock(), now: () => 0, wallTime: () => RECORDED_FROM },
    });
    // Groups of two, so that a session is in several blocks.
    for (let from = 0; from < events.length; from += 2) {
      await journal.append(events.slice(from, from + 2).map((event) => ({ ...event, at: event.receivedAt }))).durable;
    }
    await journal.close();
  }
  return directory;
}
