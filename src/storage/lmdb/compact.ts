import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "../../base/errors.js";
import { DATA_FILE, inspectDataFile } from "./data-file.js";
import { loadLmdb } from "./environment.js";

export interface Compacted {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Writes the journal of a folder again without its free pages. The new file replaces the old one in one step: after a crash one of them is there,
 * whole. No other process may have the journal open. Rejects with a Fault "not_found" if the folder has no journal, and "storage_unavailable" if the
 * journal is damaged or the disk has no room.
 */
export async function compactDataFile(directory: string): Promise<Compacted> {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) {
    throw new Fault("not_found", `There is no journal in ${directory}. Check the folder.`, { origin: "local" });
  }
  const verdict = inspectDataFile(path, true);
  if (verdict.kind !== "sound") {
    const reason =
      verdict.kind === "damaged"
        ? verdict.reason
        : verdict.kind === "none"
          ? "it is empty"
          : "it is shorter than it says";
    throw new Fault("storage_unavailable", `The journal ${path} is damaged: ${reason}. It stays as it is.`, {
      origin: "local",
    });
  }
  const draft = `${path}.compacting`;
  const bytesBefore = statSync(path).size;
  const { open } = await loadLmdb();
  try {
    rmSync(draft, { force: true });
    const root = open({ path, noSubdir: true, readOnly: true, maxDbs: 8 } as Parameters<typeof open>[0]);
    try {
      await root.backup(draft, true);
    } finally {
      await root.close();
    }
    chmodSync(draft, 0o600);
    sync(draft);
    renameSync(draft, path);
    // The lock file tells of readers and transactions of the old file.
    rmSync(`${path}-lock`, { force: true });
    // Windows cannot sync a folder.
    if (process.platform !== "win32") sync(dirname(path), "r");
  } catch (caught) {
    rmSync(draft, { force: true });
    const told = caught instanceof Error ? caught.message : String(caught);
    throw new Fault("storage_unavailable", `The journal ${path} cannot be compacted, and stays as it is. (${told})`, {
      origin: "local",
      cause: caught,
    });
  }
  return { bytesBefore, bytesAfter: statSync(path).size };
}

function sync(path: string, access: "r" | "r+" = "r+"): void {
  const file = openSync(path, access);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
