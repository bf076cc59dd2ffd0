// Opens the chosen journal for reading.
import { statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { type JournalReader, openJournalReader } from "../../storage/journal-reader.js";
import { JOURNAL_FILES } from "../../storage/lmdb/plain-files.js";
import { journalDirectory } from "./journal-choice.js";
import { withMissing } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import type { JournalPlace } from "./journal-report.js";

export interface ReadJournal {
  readonly place: JournalPlace;
  /** The blocks, with an empty block in the place of each hole within a boot. */
  readonly blocks: JournalReader["blocks"];
  readonly close: () => Promise<void>;
}

/** Throws a Fault "usage" if there is no journal, or several to choose from; "storage_unavailable" or "address_invalid" if it cannot be read. */
export async function readJournal(
  options: JournalChoiceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadJournal> {
  const path = journalDirectory(options, environment);
  const { layout, blocks, close } = await openJournalReader(path);
  const place = { path, layoutVersion: layout, writerPid: journalOwner(path), diskBytes: diskBytesOf(path) };
  return { place, blocks: (from) => withMissing(blocks(from)), close };
}

/** Returns the disk space of the journal's own files in a folder, bytes. */
function diskBytesOf(directory: string): number {
  let bytes = 0;
  for (const name of JOURNAL_FILES) {
    try {
      const { blocks, size } = statSync(join(directory, name));
      // The library's files have holes, so blocks are counted; Windows reports no blocks.
      bytes += blocks === 0 ? size : blocks * 512;
    } catch (caught) {
      if (!isMissing(caught)) throw caught;
    }
  }
  return bytes;
}
