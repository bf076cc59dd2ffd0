import { type Compacted, compactDataFile } from "../../storage/lmdb/compact.js";
import { claimJournalFolder } from "./journal-folder.js";

/**
 * Compacts the journal of a folder. Rejects with a Fault "address_in_use" while a daemon has it, "not_found" where there is none, and
 * "storage_unavailable" where it is damaged or there is no room; the journal is then as it was.
 */
export async function compactJournal(directory: string): Promise<Compacted> {
  const folder = await claimJournalFolder({ kind: "directory", path: directory }, {}, "");
  try {
    return await compactDataFile(directory);
  } finally {
    folder.release();
  }
}
