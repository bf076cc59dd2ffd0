// What stands under the names that a daemon uses in a journal's folder. Opening a pipe waits for ever, whoever follows a link writes over what is
// not the daemon's, and LMDB ends the process where its lock file is none.
import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../base/errors.js";
import { DATA_FILE } from "./data-file.js";

/** The file that says which process a journal's folder belongs to. */
export const OWNER_FILE = ".owner.pid";

const NAMES = [
  DATA_FILE,
  ...["-lock", "-epoch", "-epoch-new", "-unsynced", ".compacting", ".compacting-lock"].map(
    (ending) => `${DATA_FILE}${ending}`,
  ),
  OWNER_FILE,
] as const;

/** Throws a Fault "address_invalid" where something in a journal's folder that is to be a file is none. To be called before any of them is opened. */
export function assertPlainFiles(directory: string): void {
  for (const name of NAMES) {
    const path = join(directory, name);
    const found = otherThanFile(path);
    if (found === undefined) continue;
    const sentence = `${path} is ${found}, where the journal has a file. Remove it, or name another folder (--journal).`;
    throw new Fault("address_invalid", sentence, { origin: "local" });
  }
}

/** What stands at `path`, as in "a folder"; undefined where it is a file, or nothing. A link is one, wherever it leads. */
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
