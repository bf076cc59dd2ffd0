// The first epoch of the latest boot, in a file of its own. The epochs of the next boot are above it, even if that boot made nothing durable, or if
// the journal itself is lost (R29). Every start moves epochs an hour and ten minutes ahead of the clock, so the clock alone would not do.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Epoch } from "../../engine/event/event.js";

/** The epoch noted beside the data file `path`; 0 if none is noted. */
export function notedEpoch(path: string): Epoch {
  try {
    const epoch = Number(readFileSync(`${path}-epoch`, "utf8"));
    return Number.isSafeInteger(epoch) && epoch > 0 ? epoch : 0;
  } catch {
    return 0;
  }
}

/** Notes the epoch. The disk has it when this returns. */
export function noteEpoch(path: string, epoch: Epoch): void {
  const draft = `${path}-epoch-new`;
  synced(draft, "w", (file) => writeSync(file, `${epoch}\n`));
  renameSync(draft, `${path}-epoch`);
  synced(dirname(path), "r", () => {});
}

function synced(path: string, flags: "r" | "w", write: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    write(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
