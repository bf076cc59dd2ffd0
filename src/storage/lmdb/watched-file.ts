// A watch over the open data file. A deleted or replaced file takes all writes, and the next boot finds none of them, so nothing may be acknowledged
// (R29). A file that was cut short lacks pages that LMDB would read, which ends the process by a signal, so nothing may be read of it either.
import { type Stats, statSync } from "node:fs";
import type { JournalFailure } from "../../contracts/journal.js";

const LOSS: JournalFailure = {
  reason: "Its file was deleted, replaced or cut short.",
  remedy: "Put it back, or restart the daemon.",
};

/**
 * Watches the file that is at `path` now. The answer looks at it, and returns the loss, or undefined while the file is in its place. Without a file
 * there, no loss is ever reported.
 */
export function watchedFile(path: string): () => JournalFailure | undefined {
  const first = statusOf(path);
  /** The file never shrinks by itself. */
  let largestBytes = typeof first === "object" ? first.size : 0;
  let found: JournalFailure | undefined;
  return () => {
    if (typeof first !== "object") return undefined;
    const now = statusOf(path);
    if (now === "unknown") return found;
    const stands = now !== "missing" && now.ino === first.ino && now.dev === first.dev && now.size >= largestBytes;
    if (stands) largestBytes = now.size;
    found = stands ? undefined : LOSS;
    return found;
  };
}

/** "unknown" if the system does not tell, which is no loss yet. */
function statusOf(path: string): Stats | "missing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}
