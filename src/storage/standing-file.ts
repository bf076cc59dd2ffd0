// Whether the file that is written to still stands where it was opened. One that was deleted or replaced takes everything, and the next run finds
// nothing of it: nothing may be acknowledged then (R29).
import { type Stats, statSync } from "node:fs";

export interface StandingFile {
  /** Why it is not the file that it was, in a sentence; undefined where it is. */
  readonly loss: () => string | undefined;
}

const LOSS = "Its file was deleted, replaced or cut short. Put it back, or restart the daemon.";

/** The file that stands at `path` now. Where there is none, nothing is ever said of it. */
export function standingFile(path: string): StandingFile {
  const first = statusOf(path);
  return {
    loss: () => {
      if (typeof first !== "object") return undefined;
      const now = statusOf(path);
      if (now === "missing") return LOSS;
      return typeof now === "object" && (now.ino !== first.ino || now.dev !== first.dev || now.size < first.size)
        ? LOSS
        : undefined;
    },
  };
}

/** "unknown" where the system does not tell, which is no loss yet. */
function statusOf(path: string): Stats | "missing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}
