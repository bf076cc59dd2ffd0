// The first epoch of the run that is under way, in a file of its own: where the journal itself is lost, epochs go on above it (R29). Epochs run
// ahead of the clock by an hour and ten minutes a start, so the clock alone would not do.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
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

export function noteEpoch(path: string, epoch: Epoch): void {
  const draft = `${path}-epoch-new`;
  writeFileSync(draft, `${epoch}\n`, { mode: 0o600 });
  renameSync(draft, `${path}-epoch`);
}
