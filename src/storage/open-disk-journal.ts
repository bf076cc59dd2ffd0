import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { Log } from "../contracts/log.js";
import type { Epoch, Evicted } from "../engine/event/event.js";
import { countedTotals, readTotals, type Totals } from "./blocks/totals.js";
import { createDiskJournal, type DiskJournal, type DiskJournalOptions } from "./disk-journal.js";
import { DATA_FILE, inspectDataFile, lengthen } from "./lmdb/data-file.js";
import { diagnoseDisk } from "./lmdb/diagnose-disk.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "./lmdb/environment.js";
import { notedEpoch, noteEpoch } from "./lmdb/epoch-note.js";
import { journalId } from "./lmdb/journal-id.js";
import { migrate } from "./lmdb/layout.js";
import { assertPlainFiles } from "./lmdb/plain-files.js";
import { setAside } from "./lmdb/set-aside.js";
import { createBootMark, currentSystemBoot, type SystemBootMark } from "./lmdb/system-boot-mark.js";

export interface OpenOptions
  extends Pick<
    DiskJournalOptions,
    "policy" | "retention" | "createWindow" | "window" | "maxPendingBytes" | "otherOwner"
  > {
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
  readonly create: (evicted: (event: Evicted) => void) => DiskJournal;
  /** Closes it where no journal was made of it. */
  readonly abandon: () => Promise<void>;
}

/** Room for a million events a second until the next start of an empty journal, so that epochs are never reused (R29). */
const EPOCHS_PER_MS = 1000;
/** From the last durable epoch and the first epoch of the latest run to the first of the next (R29). */
const EPOCHS_BETWEEN_BOOTS = 2 ** 32;

/**
 * Opens the journal of a folder, or begins one. Throws a Fault "address_invalid" where something in it that is to be a file is none, and
 * "storage_unavailable" where it cannot be opened, or a newer build wrote it; the sentence says what to do.
 */
export async function openDiskJournal(options: OpenOptions): Promise<OpenedJournal> {
  const { directory, policy, clock, closed } = options;
  const path = join(directory, DATA_FILE);
  let environment: Environment | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    assertPlainFiles(directory);
    const lmdb = await (options.lmdb ?? loadLmdb());
    const mark = createBootMark(path, currentSystemBoot(clock.wallTime()));
    mend(options, path, mark);
    if (policy === "durable" && mark.isThere() && (await isSynced(path))) mark.remove();
    const opened = openEnvironment({ lmdb, path, policy });
    environment = opened;
    await migrate(opened, path);
    const id = await journalId(opened);
    const { totals, firstEpoch } = startingPoint(opened, path, clock.wallTime());
    // On the disk before any epoch is given out.
    noteEpoch(path, firstEpoch);
    // From here on the disk may lack something.
    if (policy !== "durable") mark.make();
    const close = async (): Promise<void> => {
      await opened.close();
      if (policy !== "durable" && (await isSynced(path))) mark.remove();
      closed?.();
    };
    const kept: Environment = { ...opened, close };
    return {
      path,
      create: (evicted) => createDiskJournal({ ...options, environment: kept, path, id, totals, firstEpoch, evicted }),
      abandon: close,
    };
  } catch (caught) {
    await environment?.close();
    closed?.();
    if (caught instanceof Fault) throw caught;
    const found = await diagnoseDisk(path, 0);
    const why =
      found === undefined
        ? `(${caught instanceof Error ? caught.message : String(caught)})`
        : `${found.reason} ${found.remedy}`;
    throw new Fault("storage_unavailable", `The journal ${path} cannot be opened. ${why}`, {
      origin: "local",
      cause: caught,
    });
  }
}

/** Makes the file one that can be opened: what cannot be is set aside, with everything that is in it. */
function mend({ wasLeft = true, clock, log }: OpenOptions, path: string, mark: SystemBootMark): void {
  const verdict = inspectDataFile(path, wasLeft);
  if (verdict.kind === "short") lengthen(path, verdict.bytes);
  if (verdict.kind === "none") mark.remove();
  const isTorn = mark.isOfAnotherBoot();
  if (verdict.kind !== "damaged" && !isTorn) return;
  const reason = verdict.kind === "damaged" ? verdict.reason : "the system stopped before the disk had all of it";
  const kept = setAside(path, clock.wallTime());
  mark.remove();
  log.error({ path, reason, kept }, "the journal is damaged and was set aside; a new one begins");
}

/** Whether the disk has all of it. */
async function isSynced(path: string): Promise<boolean> {
  try {
    const file = await open(path, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  } catch {
    return false;
  }
}

function startingPoint(
  { tables }: Environment,
  path: string,
  wallTime: number,
): { readonly totals: Totals; readonly firstEpoch: Epoch } {
  const totals = readTotals(tables.meta) ?? countedTotals(tables.blocks);
  const noted = notedEpoch(path);
  if (totals === undefined) {
    const firstEpoch = Math.max(
      Math.floor(wallTime) * EPOCHS_PER_MS,
      noted === 0 ? 0 : noted + 2 * EPOCHS_BETWEEN_BOOTS,
    );
    return { totals: { eventCount: 0, bytes: 0, head: firstEpoch - 1, lostThrough: firstEpoch - 1 }, firstEpoch };
  }
  return { totals, firstEpoch: Math.max(totals.head, noted) + EPOCHS_BETWEEN_BOOTS };
}
