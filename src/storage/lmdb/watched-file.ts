// Whether the file that is written to still stands where it was opened. One that was deleted or replaced takes everything, and the next run finds
// nothing of it: nothing may be acknowledged then (R29). Of one that was cut short LMDB would read pages that are not there, which ends the process
// by a signal (P12): nothing may be read of it either.
import { type Stats, statSync } from "node:fs";
import type { JournalFailure } from "../../contracts/journal.js";

export interface WatchedFile {
  /** Looks, and says why it is not the file that it was; undefined where it is. */
  readonly loss: () => JournalFailure | undefined;
  /** The same where the last look found a loss, else undefined: costs nothing as long as all is well. */
  readonly knownLoss: () => JournalFailure | undefined;
}

const LOSS: JournalFailure = {
  reason: "Its file was deleted, replaced or cut short.",
  remedy: "Put it back, or restart the daemon.",
};

/** The file that stands at `path` now. Where there is none, nothing is ever said of it. */
export function watchedFile(path: string): WatchedFile {
  const first = statusOf(path);
  /** It never shrinks by itself. */
  let largestBytes = typeof first === "object" ? first.size : 0;
  let found: JournalFailure | undefined;

  const loss = (): JournalFailure | undefined => {
    if (typeof first !== "object") return undefined;
    const now = statusOf(path);
    if (now === "unknown") return found;
    const stands =
      now !== "missing" && now.ino === first.ino && now.dev === first.dev && now.size >= largestBytes ? now : undefined;
    if (stands !== undefined) largestBytes = stands.size;
    found = stands === undefined ? LOSS : undefined;
    return found;
  };

  return { loss, knownLoss: () => (found === undefined ? undefined : loss()) };
}

/** "unknown" where the system does not tell, which is no loss yet. */
function statusOf(path: string): Stats | "missing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}
