import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "../../base/errors.js";
import { DATA_FILE, inspectDataFile } from "./data-file.js";
import { assertRoomForDraft, compactionFault, draftOf, removeDraft } from "./draft.js";
import { loadLmdb, openEnvironment } from "./environment.js";
import { assertReadable, LAYOUT_VERSION, layoutOf } from "./layout.js";
import { copyTables } from "./table-copy.js";

export interface Compacted {
  /** Length of the data file. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Writes the journal of a folder again without its free pages. The new file replaces the old one in one step: after a crash one of them is there,
 * whole. No daemon may have the journal open; `compactable.ts` is for a journal in use. Rejects with a Fault "not_found" if the folder has no
 * journal, and "storage_unavailable" if the journal is damaged, a newer build wrote it, or the disk has no room.
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
  const draft = draftOf(path);
  const bytesBefore = statSync(path).size;
  try {
    await removeDraft(path);
    await copyWhole(path, draft);
    sync(draft);
    renameSync(draft, path);
    // The lock file tells of readers and transactions of the old file.
    rmSync(`${path}-lock`, { force: true });
    // Windows cannot sync a folder.
    if (process.platform !== "win32") sync(dirname(path), "r");
  } catch (caught) {
    throw await compactionFault(path, caught);
  } finally {
    await removeDraft(path);
  }
  return { bytesBefore, bytesAfter: statSync(path).size };
}

async function copyWhole(path: string, draft: string): Promise<void> {
  const lmdb = await loadLmdb();
  const source = openEnvironment({ lmdb, path, policy: "os" }, true);
  try {
    // A newer build may have tables that this one would leave out.
    assertReadable(layoutOf(source.tables) ?? LAYOUT_VERSION, path);
    assertRoomForDraft(path, source.usedBytes());
    const copy = openEnvironment({ lmdb, path: draft, policy: "os" });
    try {
      await copyTables(source.tables, copy.commit);
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

function sync(path: string, access: "r" | "r+" = "r+"): void {
  const file = openSync(path, access);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
