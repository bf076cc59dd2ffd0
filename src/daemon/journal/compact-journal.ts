import { type Compacted, compactDataFile } from "../../storage/lmdb/compact.js";
import { claimJournalFolder } from "./journal-folder.js";

/**
 * Compacts the journal of a folder. Rejects with a Fault "address_in_use" while a daemon has the folder, "not_found" if there is no journal, and
 * "storage_unavailable" if the journal is damaged or there is no room; the journal then stays unchanged.
 */
export async function compactJournal(directory: string): Promise<Compacted> {
  const folder = await claimJournalFolder({ kind: "directory", path: directory }, {}, "");
  try {
    return await compactDataFile(directory);
  } finally {
    folder.release();
  }
}
