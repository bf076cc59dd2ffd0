// Two agents of one name are told apart by a number. The names in use are files beside the sockets, each with the process that has it.
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isProcess } from "../../transports/ipc/claim.js";
import { assurePrivateDirectory } from "../../transports/ipc/directory.js";

/** So many agents of one name are told apart. */
const MOST_NUMBERS = 99;

export interface ClaimedName {
  readonly name: string;
  readonly release: () => void;
}

/** The name, with a number if another process of this user has it. Without a folder that is this user's alone the name stays as it is. */
export function claimName(name: string, directory: string | undefined, userId: number | undefined): ClaimedName {
  const unclaimed: ClaimedName = { name, release: () => {} };
  if (directory === undefined) return unclaimed;
  try {
    const folder = join(directory, "names");
    assurePrivateDirectory(directory, userId);
    assurePrivateDirectory(folder, userId);
    for (let number = 1; number <= MOST_NUMBERS; number++) {
      const numbered = number === 1 ? name : `${name} ${number}`;
      const path = join(folder, createHash("sha256").update(numbered).digest("hex").slice(0, 32));
      if (isClaimed(path)) return { name: numbered, release: () => rmSync(path, { force: true }) };
    }
  } catch {
    // A name without its number is better than none.
  }
  return unclaimed;
}

/** Whether the file is this process's now. */
function isClaimed(path: string): boolean {
  for (const isLast of [false, true]) {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch {
      if (isLast || isTaken(path)) return false;
      rmSync(path, { force: true });
    }
  }
  return false;
}

function isTaken(path: string): boolean {
  return isProcess(Number(readFileSync(path, "utf8")));
}
