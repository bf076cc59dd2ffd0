// A watch over the open data file. A deleted or replaced file takes all writes, and the next boot finds none of them, so nothing may be acknowledged
// (R29). A file that was cut short lacks pages that LMDB would read, which ends the process by a signal, so nothing may be read of it either.
import { type Stats, statSync } from "node:fs";
import type { JournalFailure } from "../../contracts/journal.js";

export interface WatchedFile {
  /** Looks at the file. Answers the loss, or undefined while the file is in its place. */
  readonly loss: () => JournalFailure | undefined;
  /** The file that is at the path now has taken the place of the one before. */
  readonly replaced: () => void;
}

const LOSS: JournalFailure = {
  reason: "Its file was deleted, replaced or cut short.",
  remedy: "Put it back, or restart the daemon.",
};

/** Watches the file that is at `path` now. Without a file there, no loss is ever reported. */
export function watchedFile(path: string): WatchedFile {
  let first = statusOf(path);
  /** The file never shrinks by itself. */
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

  const replaced = (): void => {
    first = statusOf(path);
    largestBytes = typeof first === "object" ? first.size : 0;
    found = undefined;
  };

  return { loss, replaced };
}

/** "unknown" if the system does not tell, which is no loss yet. */
function statusOf(path: string): Stats | "missing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "unknown";
  }
}
