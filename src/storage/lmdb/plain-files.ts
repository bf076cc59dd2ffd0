// Checks of the names that a daemon uses in a journal's folder. Opening a pipe waits for ever. Following a link writes over files of others. LMDB
// ends the process if its lock file is no file.
import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../base/errors.js";
import { DATA_FILE } from "./data-file.js";

/** Name of the file that names the process to which a journal's folder belongs. */
export const OWNER_FILE = ".owner.pid";

/** The files of a journal. A folder may hold others, such as a damaged file that was set aside. */
export const JOURNAL_FILES = [
  DATA_FILE,
  ...["-lock", "-epoch", "-epoch-new", "-unsynced", ".compacting", ".compacting-lock"].map(
    (ending) => `${DATA_FILE}${ending}`,
  ),
  OWNER_FILE,
] as const;

/** Throws a Fault "address_invalid" if one of the names in a journal's folder is no file. Comes before any of them is opened. */
export function assertPlainFiles(directory: string): void {
  for (const name of JOURNAL_FILES) {
    const path = join(directory, name);
    const found = otherThanFile(path);
    if (found === undefined) continue;
    const sentence = `${path} is ${found}, where the journal has a file. Remove it, or name another folder (--journal).`;
    throw new Fault("address_invalid", sentence, { origin: "local" });
  }
}

/** The kind of thing at `path`, as in "a folder"; undefined for a file, and for nothing. A link counts as a link, wherever it leads. */
export function otherThanFile(path: string): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status === undefined || status.isFile() ? undefined : kindOf(status);
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return "a folder";
  if (status.isSymbolicLink()) return "a symbolic link";
  if (status.isFIFO()) return "a pipe";
  return status.isSocket() ? "a socket" : "a device";
}
