import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { Journal } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Epoch, Evicted } from "../engine/event.js";
import { diagnoseDisk } from "./diagnose-disk.js";
import { createDiskJournal, type DiskJournalOptions } from "./disk-journal.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "./environment.js";
import { migrate } from "./layout.js";
import { countedTotals, readTotals, type Totals } from "./totals.js";

/** The file in a journal's folder that holds everything. */
export const DATA_FILE = "journal.mdb";

export interface OpenOptions
  extends Pick<DiskJournalOptions, "policy" | "retention" | "createWindow" | "window" | "maxOwedBytes"> {
  /** Of this process alone while the journal is open: mode 0700, and claimed. Made where it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether whoever wrote to it last ended without closing it: then it is looked through before it is used. Default true. */
  readonly wasLeft?: boolean;
  /** Called when the journal is closed, or could not be opened. */
  readonly closed?: () => void;
  /** Default the package. */
  readonly lmdb?: Lmdb | Promise<Lmdb>;
}

export interface OpenedJournal {
  /** The data file. */
  readonly path: string;
  /** For the engine; once. */
  readonly create: (evicted: (event: Evicted) => void) => Journal;
  /** Closes it where no journal was made of it. */
  readonly abandon: () => Promise<void>;
}

/** Room for a million events a second until the next start of an empty journal, so that epochs are never reused (R29). */
const EPOCHS_PER_MS = 1000;
/** Between the last durable epoch of one run and the first of the next (R29). */
const EPOCHS_BETWEEN_RUNS = 2 ** 32;

/**
 * Opens the journal of a folder, or begins one. Throws a Fault "storage_unavailable" where it cannot be opened, or a newer build wrote it; the
 * sentence says what to do.
 */
export async function openDiskJournal(options: OpenOptions): Promise<OpenedJournal> {
  const { directory, policy, clock, log, closed } = options;
  const path = join(directory, DATA_FILE);
  let environment: Environment | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const lmdb = await (options.lmdb ?? loadLmdb());
    const opened = openEnvironment({ lmdb, path, policy });
    environment = opened;
    await migrate(opened, path);
    const { totals, firstEpoch } = startingPoint(opened, clock.wallTime());
    return {
      path,
      create: (evicted) =>
        createDiskJournal({ ...options, environment: opened, path, log, totals, firstEpoch, evicted }),
      abandon: async () => {
        await opened.close();
        closed?.();
      },
    };
  } catch (caught) {
    await environment?.close();
    closed?.();
    if (caught instanceof Fault) throw caught;
    const reason = (await diagnoseDisk(path, 0)) ?? `(${caught instanceof Error ? caught.message : String(caught)})`;
    throw new Fault("storage_unavailable", `The journal ${path} cannot be opened. ${reason}`, {
      origin: "local",
      cause: caught,
    });
  }
}

function startingPoint(
  { tables }: Environment,
  wallTime: number,
): { readonly totals: Totals; readonly firstEpoch: Epoch } {
  const totals = readTotals(tables.meta) ?? countedTotals(tables.blocks);
  if (totals === undefined) {
    const firstEpoch = Math.floor(wallTime) * EPOCHS_PER_MS;
    return { totals: { eventCount: 0, bytes: 0, head: firstEpoch - 1, lostThrough: firstEpoch - 1 }, firstEpoch };
  }
  return { totals, firstEpoch: totals.head + EPOCHS_BETWEEN_RUNS };
}
