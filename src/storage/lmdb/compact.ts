// Writes a data file again without its free pages, while nobody has it open. The copy takes the file's name in one step: before and after every kill
// one whole file has the name.
import { existsSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "../../base/errors.js";
import { DATA_FILE, inspectDataFile } from "./data-file.js";
import { diagnoseDisk } from "./diagnose-disk.js";
import { type Environment, type Lmdb, loadLmdb, openEnvironment } from "./environment.js";
import { LAYOUT_VERSION, layoutOf } from "./meta.js";
import { synced } from "./notes.js";
import { TABLE_NAMES, type TableKey, type TableName, type Tables } from "./tables.js";

export interface Compacted {
  /** Length of the data file. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Records and bytes of one transaction of the copy. */
const SLICE_RECORDS = 512;
const SLICE_BYTES = 512 * 1024;
/** Room that is left on the disk beside the copy, bytes. */
const ROOM_BESIDE = 8 * 1024 * 1024;
/** A shorter file is not worth a copy at a start. */
const LEAST_BYTES = 4 * 1024 * 1024;

/**
 * Compacts the journal of a folder that no daemon has open. Rejects with a Fault "not_found" if the folder has no journal, and "storage_unavailable"
 * if the journal is damaged, a build with another layout wrote it, or the disk has no room. The journal then stays as it is.
 */
export async function compactDataFile(directory: string): Promise<Compacted> {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) {
    throw new Fault("not_found", `There is no journal in ${directory}. Check the folder.`, { origin: "local" });
  }
  const verdict = inspectDataFile(path, true);
  if (verdict.kind !== "sound") {
    const reasons = { none: "it is empty", short: "it is shorter than it says" };
    const reason = verdict.kind === "damaged" ? verdict.reason : reasons[verdict.kind];
    throw new Fault("storage_unavailable", `The journal ${path} is damaged: ${reason}. It stays as it is.`, {
      origin: "local",
    });
  }
  return rewrite(path, await loadLmdb());
}

/** Whether more than half of a file is free, and it is long enough for that to matter. */
export function isMostlyFree(path: string, { usedBytes }: Pick<Environment, "usedBytes">): boolean {
  const { size } = statSync(path);
  return size >= LEAST_BYTES && usedBytes() < size / 2;
}

/** Writes the file `path` again. Nobody may have it open. Rejects with a Fault "storage_unavailable"; the file then stays as it is. */
export async function rewrite(path: string, lmdb: Lmdb): Promise<Compacted> {
  const draft = draftOf(path);
  const bytesBefore = statSync(path).size;
  try {
    removeDraft(path);
    await copyWhole(path, draft, lmdb);
    synced(draft, "r+");
    renameSync(draft, path);
    // The lock file tells of readers and transactions of the old file.
    rmSync(`${path}-lock`, { force: true });
    // Windows cannot sync a folder.
    if (process.platform !== "win32") synced(dirname(path), "r");
  } catch (caught) {
    // Before the copy goes, which may be all that fills the disk.
    throw await compactionFault(path, caught);
  } finally {
    removeDraft(path);
  }
  return { bytesBefore, bytesAfter: statSync(path).size };
}

/** Removes an incomplete copy, also one that a killed process left. */
export function removeDraft(path: string): void {
  for (const ending of ["", "-lock"]) rmSync(`${draftOf(path)}${ending}`, { force: true });
}

function draftOf(path: string): string {
  return `${path}.compacting`;
}

async function copyWhole(path: string, draft: string, lmdb: Lmdb): Promise<void> {
  const source = openEnvironment({ lmdb, path, policy: "os" }, true);
  try {
    // Another build may have tables that this one would leave out.
    layoutOf(source.tables, path, LAYOUT_VERSION);
    assertRoom(path, source.usedBytes());
    const copy = openEnvironment({ lmdb, path: draft, policy: "os" });
    try {
      for (const table of TABLE_NAMES) await copyTable(source.tables, table, copy);
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

async function copyTable(from: Tables, table: TableName, copy: Environment): Promise<void> {
  let slice: { readonly key: TableKey; readonly value: Buffer }[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    const taken = slice;
    slice = [];
    bytes = 0;
    await copy.commit((writes) => {
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

function assertRoom(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  const missing = bytes + ROOM_BESIDE - bavail * bsize;
  if (missing <= 0) return;
  const sentence = `The journal ${path} cannot be compacted: its copy needs ${mebibytes(bytes + ROOM_BESIDE)} of the disk for a moment, and ${mebibytes(missing)} are missing. Make room.`;
  throw new Fault("storage_unavailable", sentence, { origin: "local" });
}

async function compactionFault(path: string, caught: unknown): Promise<Fault> {
  if (caught instanceof Fault) return caught;
  const found = await diagnoseDisk(path, 0);
  const told = caught instanceof Error ? caught.message : String(caught);
  const why = found === undefined ? `(${told})` : `${found.reason} ${found.remedy}`;
  return new Fault("storage_unavailable", `The journal ${path} could not be compacted, and lost nothing. ${why}`, {
    origin: "local",
    cause: caught,
  });
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
