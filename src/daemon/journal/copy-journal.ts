// Copies of a whole journal: without its free space, into a backup and out of one. A backup is a folder that the commands read as any journal.
import { existsSync, linkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { usage } from "../../base/errors.js";
import { assertSound, openJournalReader } from "../../storage/journal-reader.js";
import { type Copied, copyDataFile } from "../../storage/lmdb/copy.js";
import { DATA_FILE } from "../../storage/lmdb/data-file.js";
import { notedEpoch, noteEpoch, SystemBootMark } from "../../storage/lmdb/notes.js";
import { EPOCHS_BETWEEN_BOOTS, nameAside } from "../../storage/lmdb/open-data-file.js";
import { claimJournalFolder, journalOwner } from "./journal-folder.js";

/** Starts that a daemon may have had since a backup, after which no note is left. */
const BOOTS_SINCE_BACKUP = 1000;

/**
 * Compacts the journal of a folder. Rejects with a Fault "address_in_use" while a daemon has the folder, "not_found" if there is no journal, and
 * "storage_unavailable" if the journal is damaged or there is no room; the journal then stays unchanged.
 */
export async function compactJournal(directory: string): Promise<Copied> {
  return whileClaimed(directory, async () => {
    assertSound(directory, false);
    const path = join(directory, DATA_FILE);
    return copyDataFile(path, path);
  });
}

/**
 * Copies the journal of a folder, which a daemon may have, into the folder `backup`. That is made with mode 0700 if it is missing, and an earlier
 * backup of the same journal in it is replaced when the new one is whole. Rejects as `compactJournal`, "usage" if both folders are the same, or if
 * the folder holds another journal.
 */
export async function backUpJournal(directory: string, backup: string): Promise<Copied> {
  assertSound(directory, journalOwner(directory) !== undefined);
  assertOther(directory, backup);
  return whileClaimed(backup, async () => {
    const [from, to] = [join(directory, DATA_FILE), join(backup, DATA_FILE)];
    if (existsSync(to) && (await idOf(backup)) !== (await idOf(directory))) {
      const sentence = `${backup} holds another journal. Name another folder, or move what is there away.`;
      throw usage(sentence);
    }
    const copied = await copyDataFile(from, to);
    const epoch = notedEpoch(from);
    if (epoch > 0) noteEpoch(to, epoch);
    return copied;
  });
}

export interface Restored {
  readonly eventCount: number;
  /** The file of the journal that was there before; undefined if there was none. */
  readonly kept: string | undefined;
}

/**
 * Puts the journal of the folder `backup` into `directory`, which is made with mode 0700 if it is missing. A journal that is there is set aside. The
 * next boot numbers its events above all that were ever given out, so cursors stay unambiguous (R29). Rejects as `backUpJournal`.
 */
export async function restoreJournal(backup: string, directory: string, wallTime: number): Promise<Restored> {
  const reader = await openJournalReader(backup, undefined, journalOwner(backup) !== undefined);
  const totals = reader.totals();
  await reader.close();
  assertOther(backup, directory);
  return whileClaimed(directory, async () => {
    const [from, to] = [join(backup, DATA_FILE), join(directory, DATA_FILE)];
    let kept: string | undefined;
    await copyDataFile(from, to, undefined, () => {
      const [noted, backedUp] = [notedEpoch(to), notedEpoch(from)];
      // Without a note of this folder, the daemon may have started since the backup.
      if (noted === 0 || noted < backedUp)
        noteEpoch(to, Math.max(noted, backedUp, totals?.head ?? 0) + BOOTS_SINCE_BACKUP * EPOCHS_BETWEEN_BOOTS);
      if (!existsSync(to)) return;
      // A second name: until the copy takes the first one, the journal has both.
      kept = nameAside(to, "before-restore", wallTime);
      linkSync(to, kept);
    });
    new SystemBootMark(to, "").remove();
    return { eventCount: totals?.eventCount ?? 0, kept };
  });
}

async function idOf(directory: string): Promise<string | undefined> {
  const reader = await openJournalReader(directory);
  try {
    return reader.id();
  } finally {
    await reader.close();
  }
}

async function whileClaimed<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const folder = await claimJournalFolder({ kind: "directory", path: directory }, {}, "");
  try {
    return await work();
  } finally {
    folder.release();
  }
}

function assertOther(one: string, other: string): void {
  if (!existsSync(other) || realpathSync(one) !== realpathSync(other)) return;
  throw usage(`${other} is the folder of the journal itself. Name another.`);
}
