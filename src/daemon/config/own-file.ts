// Reads the configuration file, if nobody else could have written it: it names programs that the daemon starts.
import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { assertUnswappable, isForeign, isWritableForOthers } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";

/**
 * Returns the text of a file. Throws a Fault "permission_denied" if it belongs to another user, or if others can write to it or replace it in its
 * folder, and Node's own error if it cannot be read. `userId`: undefined where files have no owners.
 */
export function readOwnFile(path: string, userId: number | undefined): string {
  const file = openSync(path, "r");
  try {
    const status = fstatSync(file);
    if (userId !== undefined && status.isFile()) {
      const mode = status.mode & 0o777;
      if (isForeign(status.uid, userId))
        throw refused(path, `belongs to user ${status.uid}`, "Name a file of your own");
      if (isWritableForOthers(mode, status.gid, userId))
        throw refused(path, `has mode 0${mode.toString(8)}`, `Run: chmod go-w ${path}`);
      assertUnswappable(dirname(path), statSync(dirname(path)), userId);
    }
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function refused(path: string, is: string, remedy: string): Fault {
  const sentence = `The file ${path} ${is}, so that others could decide which programs the daemon starts. ${remedy}.`;
  return new Fault("permission_denied", sentence, { origin: "local" });
}
