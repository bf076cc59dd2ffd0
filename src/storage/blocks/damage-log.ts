import type { Log } from "../../contracts/log.js";
import type { Epoch } from "../../engine/event/event.js";
import type { BlockPlace } from "./block-store.js";

/** Reports damage of records, each place once. */
export interface DamageLog {
  /** The record at `place` has a wrong checksum. */
  readonly damaged: (place: BlockPlace) => void;
  /** Between `epoch` and the record at `next` there is no record, and there was one. */
  readonly missing: (epoch: Epoch, next: Epoch) => void;
}

/** `path` is the data file, for the log. */
export function createDamageLog(log: Log, path: string): DamageLog {
  const reported = new Set<Epoch>();
  const report = (firstEpoch: Epoch, events: number, message: string): void => {
    if (reported.has(firstEpoch)) return;
    reported.add(firstEpoch);
    log.error({ path, firstEpoch, events, remedy: "Check the disk. aaepd journal inspect lists all damage." }, message);
  };
  return {
    damaged: ({ first, count }) =>
      report(first, count, "a record of the journal is damaged: what was in it cannot be read any more, all else can"),
    missing: (epoch, next) =>
      report(
        epoch,
        next - epoch,
        "a record of the journal is missing: what was in it cannot be read any more, all else can",
      ),
  };
}
