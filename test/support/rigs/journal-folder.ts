// A journal on disk as runs of daemons leave it.
import { createClock } from "../../../src/daemon/platform/clock.js";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { temporaryDirectory } from "../temporary-directory.js";
import { createEngineRig, type EngineRig } from "./engine-rig.js";
import { openRig } from "./journal-rig.js";

/** When the runs begin whose events `record` has. */
const RECORDED_FROM = Date.UTC(2026, 4, 24, 14);

/** What the engine journals while `act` is at work, received at the rig's virtual time. */
export function record(act: (rig: EngineRig) => void): readonly JournaledEvent[] {
  const entries: JournaledEvent[] = [];
  act(createEngineRig({ journaled: (entry) => void entries.push(entry) }));
  return entries;
}

/** One run for each list of events; each is written as it came. Answers the folder. */
export async function journalFolder(...runs: readonly (readonly JournaledEvent[])[]): Promise<string> {
  const directory = temporaryDirectory();
  for (const events of runs) {
    const { journal } = await openRig({
      directory,
      clock: { ...createClock(), now: () => 0, wallTime: () => RECORDED_FROM },
    });
    // Groups of two, so that a session is in several blocks.
    for (let from = 0; from < events.length; from += 2) await journal.append(events.slice(from, from + 2)).durable;
    await journal.close();
  }
  return directory;
}
