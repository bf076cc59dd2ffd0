// Answers the request to compact the journal of a running daemon (docs/journal.md).
import { Fault } from "../../base/errors.js";
import { assertMay } from "../../base/permission.js";
import type { Access } from "../../contracts/access.js";
import type { Log } from "../../contracts/log.js";
import type { PreparedJournal } from "./open-journal.js";

/** The result of `aaepd.compact_journal`. */
export interface CompactedJournal {
  /** Length of the data file. */
  readonly bytes_before: number;
  readonly bytes_after: number;
}

/**
 * Makes the function behind `aaepd.compact_journal`. `compact` is undefined for a journal in memory. The function rejects with a Fault
 * "permission_denied" if `access` forbids it (R36), "unsupported" for a journal in memory, and with those of `PreparedJournal.compact`.
 */
export function compactionRequests(
  compact: PreparedJournal["compact"],
  log: Log,
): (access: Access) => Promise<CompactedJournal> {
  return async (access) => {
    assertMay(access, "compact");
    if (compact === undefined) {
      const sentence = "This daemon has its journal in memory, so there is no file to compact.";
      throw new Fault("unsupported", sentence, { origin: "local" });
    }
    const { bytesBefore, bytesAfter } = await compact();
    log.info({ bytesBefore, bytesAfter }, "the journal was compacted");
    return { bytes_before: bytesBefore, bytes_after: bytesAfter };
  };
}
