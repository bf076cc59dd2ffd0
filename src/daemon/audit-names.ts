// Where the audit log stands, and that no two processes write to one file: rotation would take it from under the other.
import { join } from "node:path";
import { withClaim } from "../../transports/ipc/claim.js";
import { assurePrivateDirectory } from "../../transports/ipc/directory.js";
import { fileNameOf } from "../../transports/ipc/paths.js";
import { takeOwnership } from "./owner-file.js";

export interface AuditFile {
  /** The file's name in its folder. */
  readonly name: string;
  /** Lets another process have the name. Never throws. */
  readonly release: () => void;
}

/** Leaves room for endings in the 255 bytes that file systems give a name. */
const LONGEST_NAME = 200;

/**
 * `<producer id>.ndjson`, or with -2, -3 and so on where a live process writes to that one. Makes the folder where it is missing, with mode 0700.
 * Rejects with a Fault where it cannot be had, or others could reach it.
 */
export async function claimAuditFile(directory: string, producerId: string): Promise<AuditFile> {
  assurePrivateDirectory(directory, process.getuid?.(), "the audit log");
  const base = fileNameOf(producerId).slice(0, LONGEST_NAME);
  return withClaim(join(directory, base), async () => {
    for (let instance = 1; ; instance += 1) {
      const name = `${base}${instance === 1 ? "" : `-${instance}`}`;
      const owner = join(directory, `.${name}.pid`);
      const taken = takeOwnership(owner);
      if (taken.kind === "taken") return { name: `${name}.ndjson`, release: taken.release };
    }
  });
}
