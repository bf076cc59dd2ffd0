// Opens the data file of a folder for writing: checks the folder, sets a damaged file aside, and finds the first epoch of this boot.
import { existsSync, mkdirSync, renameSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import type { JournalPolicy } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Epoch } from "../../engine/event/event.js";
import type { Totals } from "../blocks/totals.js";
import { copyDataFile, isMostlyFree, removeDraft } from "./copy.js";
import { inspectDataFile } from "./data-file.js";
import { type Environment, type EnvironmentOptions, type Lmdb, loadLmdb, openEnvironment } from "./environment.js";
import { assertLayout, countedTotals, journalId, readTotals, writeLayout } from "./meta.js";
import { currentSystemBoot, notedEpoch, noteEpoch, SystemBootMark } from "./notes.js";
import { assertPlainFiles } from "./plain-files.js";

export interface DataFileOptions {
  /** Of this process alone while the file is open: mode 0700, and claimed. Made if it is missing. */
  readonly directory: string;
  /** The data file in it. */
  readonly path: string;
  readonly policy: JournalPolicy;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly log: Log;
  /** Whether the last process that wrote to the file ended without closing it. The file is then looked through before it is used. Default true. */
  readonly wasLeft?: boolean | undefined;
  /** Default the package. */
  readonly lmdb?: Lmdb | Promise<Lmdb> | undefined;
}

/** An open data file. Its `close` also says beside the file whether the disk has all of it. */
export interface OpenedDataFile extends Environment {
  /** `Journal.id`. */
  readonly id: string;
  /** As the last boot left them, or as an empty journal begins. */
  readonly totals: Totals;
  /** The first epoch of this boot, noted on the disk. */
  readonly firstEpoch: Epoch;
}

/** Room for a million events a second until the next start of an empty journal, so that epochs are never reused (R29). */
const EPOCHS_PER_MS = 1000;
/** From the last durable epoch and the first epoch of the latest boot to the first of the next (R29). */
export const EPOCHS_BETWEEN_BOOTS = 2 ** 32;

/**
 * Rejects with a Fault "address_invalid" if something in the folder that is to be a file is none, with a Fault "storage_unavailable" if a build
 * with another layout wrote the journal, and with the error of Node or `lmdb` if the file cannot be opened.
 */
export async function openDataFile(options: DataFileOptions): Promise<OpenedDataFile> {
  const { directory, path, policy, wallTime } = options;
  let environment: Environment | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    assertPlainFiles(directory);
    const lmdb = await (options.lmdb ?? loadLmdb());
    const mark = new SystemBootMark(path, currentSystemBoot(wallTime()));
    mend(options, mark);
    // A kill in the middle of a compaction leaves its copy, which nobody needs.
    removeDraft(path);
    if (policy === "durable" && mark.isThere() && (await isSynced(path))) mark.remove();
    const opened = await openCompacted({ lmdb, path, policy }, options.log);
    environment = opened;
    const id = await journalId(opened);
    const { totals, firstEpoch } = startingPoint(opened, path, wallTime());
    // On the disk before any epoch is given out.
    noteEpoch(path, firstEpoch);
    // From here on the disk may lack something.
    if (policy !== "durable") mark.make();
    const close = async (): Promise<void> => {
      await opened.close();
      if (policy !== "durable" && (await isSynced(path))) mark.remove();
    };
    return { ...opened, close, id, totals, firstEpoch };
  } catch (caught) {
    await environment?.close();
    throw caught;
  }
}

/** Opens the file, without its free pages where they are more than half of it. */
async function openCompacted(options: EnvironmentOptions, log: Log): Promise<Environment> {
  const { path, lmdb } = options;
  const opened = openEnvironment(options);
  try {
    assertLayout(opened.tables, path);
    await writeLayout(opened);
    if (!isMostlyFree(path, opened)) return opened;
  } catch (caught) {
    await opened.close();
    throw caught;
  }
  await opened.close();
  try {
    log.info({ path, ...(await copyDataFile(path, path, lmdb)) }, "the journal was compacted");
  } catch (caught) {
    log.warn({ err: caught, path }, "the journal could not be compacted, and lost nothing");
  }
  return openEnvironment(options);
}

/** Leaves a file that can be opened, or none: a file that cannot be used is set aside, whole. */
function mend({ path, wasLeft = true, wallTime, log }: DataFileOptions, mark: SystemBootMark): void {
  const verdict = inspectDataFile(path, wasLeft);
  if (verdict.kind === "short") truncateSync(path, verdict.bytes);
  if (verdict.kind === "none") mark.remove();
  const isTorn = mark.isOfAnotherBoot();
  if (verdict.kind !== "damaged" && !isTorn) return;
  const reason = verdict.kind === "damaged" ? verdict.reason : "the system stopped before the disk had all of it";
  const kept = setAside(path, wallTime());
  mark.remove();
  const remedy = "Check the disk. Examine the file that was set aside, or delete it.";
  log.error({ path, reason, kept, remedy }, "the journal is damaged and was set aside; a new one begins");
}

/** Syncs the file. False if the disk may lack something of it. */
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
  { tables }: Pick<Environment, "tables">,
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

/** A name with the reason and the date, for a file that is never deleted, so that a person can examine it. */
export function nameAside(path: string, why: "damaged" | "before-restore", wallTime: number): string {
  const stamp = new Date(wallTime).toISOString().replaceAll(/[:.]/g, "-");
  let name = `${path}.${why}-${stamp}`;
  for (let instance = 2; existsSync(name); instance += 1) name = `${path}.${why}-${stamp}-${instance}`;
  return name;
}

/**
 * Renames a damaged file, and then its lock file, in one step each. After a crash between the steps a new journal begins as well, and the renamed
 * file is whole. Returns the new name.
 */
function setAside(path: string, wallTime: number): string {
  const name = nameAside(path, "damaged", wallTime);
  renameSync(path, name);
  if (existsSync(`${path}-lock`)) renameSync(`${path}-lock`, `${name}-lock`);
  return name;
}
