// Writes a data file again: in its own place without free pages, into a backup or out of one as it is. The copy takes the file's name in one step:
// before and after every kill one whole file has the name.
import { chmodSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../base/errors.js";
import { diagnoseDisk } from "./diagnose-disk.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "./environment.js";
import { assertLayout } from "./meta.js";
import { synced } from "./notes.js";
import { TABLE_NAMES, type TableKey, type TableName, type Tables } from "./tables.js";

export interface Copied {
  /** Lengths of the data file and of its copy. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Records and bytes of one transaction of a file that is written without free pages. */
const SLICE_RECORDS = 512;
const SLICE_BYTES = 512 * 1024;
/** Room that is left on the disk beside the copy, bytes. */
const ROOM_BESIDE = 8 * 1024 * 1024;
/** A shorter file is not worth a copy at a start. */
const LEAST_BYTES = 4 * 1024 * 1024;

/** Whether more than half of a file is free, and it is long enough for that to matter. */
export function isMostlyFree(path: string, { usedBytes }: Pick<Environment, "usedBytes">): boolean {
  const { size } = statSync(path);
  return size >= LEAST_BYTES && usedBytes() < size / 2;
}

/**
 * Writes the file `from` to `to`. Where they are the same, the file loses its free pages, and nobody may have it open. Else others may write to
 * `from` meanwhile, and nobody may have `to` open. `replacing` is called when the copy is whole. Rejects with a Fault "storage_unavailable" if a
 * build with another layout wrote the file or the disk has no room; `to` then stays as it is.
 */
export async function copyDataFile(
  from: string,
  to: string,
  lmdb?: Lmdb,
  replacing: () => void = () => {},
): Promise<Copied> {
  const draft = draftOf(to);
  const bytesBefore = statSync(from).size;
  try {
    removeDraft(to);
    await copyWhole(from, draft, from === to, lmdb ?? (await loadLmdb()));
    chmodSync(draft, 0o600);
    synced(draft, "r+");
    replacing();
    renameSync(draft, to);
    // The lock file tells of readers and transactions of the old file.
    rmSync(`${to}-lock`, { force: true });
    // Windows cannot sync a folder.
    if (process.platform !== "win32") synced(dirname(to), "r");
  } catch (caught) {
    // Before the copy goes, which may be all that fills the disk.
    throw await copyFault(from, to, caught);
  } finally {
    removeDraft(to);
  }
  return { bytesBefore, bytesAfter: statSync(to).size };
}

/** Removes an incomplete copy, also one that a killed process left. */
export function removeDraft(path: string): void {
  for (const ending of ["", "-lock"]) rmSync(`${draftOf(path)}${ending}`, { force: true });
}

function draftOf(path: string): string {
  return `${path}.compacting`;
}

async function copyWhole(from: string, draft: string, compacts: boolean, lmdb: Lmdb): Promise<void> {
  const source = openEnvironment({ lmdb, path: from, policy: "os" }, true);
  try {
    // Another build may have tables that this one would not understand.
    assertLayout(source.tables, from);
    assertRoom(from, draft, compacts ? source.usedBytes() : statSync(from).size);
    if (compacts) await copyTables(source.tables, openEnvironment({ lmdb, path: draft, policy: "os" }));
    else await source.copyTo(draft);
  } finally {
    await source.close();
  }
}

async function copyTables(from: Tables, to: Environment): Promise<void> {
  try {
    for (const table of TABLE_NAMES) await copyTable(from, table, to);
  } finally {
    await to.close();
  }
}

async function copyTable(from: Tables, table: TableName, to: Environment): Promise<void> {
  let slice: { readonly key: TableKey; readonly value: Buffer }[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    const taken = slice;
    slice = [];
    bytes = 0;
    await to.commit((writes) => {
      for (const { key, value } of taken) writes.put(table, key, value);
    });
  };
  for (const entry of from[table].entries({})) {
    slice.push(entry);
    bytes += entry.value.length;
    if (bytes >= SLICE_BYTES || slice.length >= SLICE_RECORDS) await write();
  }
  if (slice.length > 0) await write();
}

function assertRoom(from: string, draft: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(draft));
  const missing = bytes + ROOM_BESIDE - bavail * bsize;
  if (missing <= 0) return;
  const sentence = `The journal ${from} cannot be copied: the copy needs ${mebibytes(bytes + ROOM_BESIDE)} in ${dirname(draft)}, and ${mebibytes(missing)} are missing. Make room.`;
  throw new Fault("storage_unavailable", sentence, { origin: "local" });
}

async function copyFault(from: string, to: string, caught: unknown): Promise<Fault> {
  if (caught instanceof Fault) return caught;
  const found = await diagnoseDisk(to, 0);
  const told = caught instanceof Error ? caught.message : String(caught);
  const why = found === undefined ? `(${told})` : `${found.reason} ${found.remedy}`;
  return new Fault("storage_unavailable", `The journal ${from} could not be copied, and lost nothing. ${why}`, {
    origin: "local",
    cause: caught,
  });
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
