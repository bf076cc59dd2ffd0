// The first epoch of the latest run, in a file of its own: epochs go on above it, whatever that run made durable, and where the journal itself is
// lost (R29). Epochs run ahead of the clock by an hour and ten minutes a start, so the clock alone would not do.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Epoch } from "../../engine/event/event.js";

/** The epoch that stands beside the data file `path`; 0 where there is none. */
export function notedEpoch(path: string): Epoch {
  try {
    const epoch = Number(readFileSync(`${path}-epoch`, "utf8"));
    return Number.isSafeInteger(epoch) && epoch > 0 ? epoch : 0;
  } catch {
    return 0;
  }
}

/** The disk has it when this returns. */
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
