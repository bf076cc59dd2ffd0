// The journal that a command means, opened for reading.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { type JournalReader, openJournalReader } from "../../storage/journal-reader.js";
import { journalDirectory } from "./journal-choice.js";
import { withMissing } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import type { JournalPlace } from "./journal-report.js";

export interface ReadJournal {
  readonly place: JournalPlace;
  /** Also in the place of what is missing within a run. */
  readonly blocks: JournalReader["blocks"];
  readonly close: () => Promise<void>;
}

/** Throws a Fault "usage" where there is none, or several to choose from; "storage_unavailable" or "address_invalid" where it cannot be read. */
export async function readJournal(
  options: JournalChoiceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadJournal> {
  const path = journalDirectory(options, environment);
  const { layout, blocks, close } = await openJournalReader(path);
  const place = { path, layoutVersion: layout, writerPid: journalOwner(path), diskBytes: diskBytesOf(path) };
  return { place, blocks: (from) => withMissing(blocks(from)), close };
}

/** What the files of a folder take on the disk. */
export function diskBytesOf(directory: string): number {
  let bytes = 0;
  for (const name of readdirSync(directory)) {
    try {
      const { blocks, size } = statSync(join(directory, name));
      // The library's files have holes; Windows does not count blocks.
      bytes += blocks === 0 ? size : blocks * 512;
    } catch (caught) {
      if (!isMissing(caught)) throw caught;
    }
  }
  return bytes;
}
