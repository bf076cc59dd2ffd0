// The folder and the file names of the audit log. No two processes write to one file, because a rotation would remove the file of the other.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withClaim } from "../../../transports/ipc/claim.js";
import { assertPrivateDirectory, assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { fileNameOf } from "../../../transports/ipc/paths.js";
import type { AuditChoice } from "../config/config-values.js";
import { takeOwnership } from "../platform/owner-file.js";
import { stateDirectory } from "../platform/state-directory.js";

/** Leaves room for endings within the 255 bytes of a file name. */
const LONGEST_NAME = 200;
/** Name of the folder in error messages. */
const AUDIT_LOG = "the audit log";

/**
 * Returns the folder of a choice. Throws, as for a journal's folder, a Fault "permission_denied" if others could reach the records, "address_invalid"
 * if the folder is impossible. Makes a folder that the user named; the default folder is made at the first entry.
 */
export function auditDirectory(
  choice: Exclude<AuditChoice, { readonly kind: "off" }>,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const userId = process.getuid?.();
  if (choice.kind === "directory") {
    assurePrivateDirectory(choice.path, userId, AUDIT_LOG);
    return choice.path;
  }
  const directory = stateDirectory(environment, "audit");
  if (existsSync(directory)) assertPrivateDirectory(directory, userId, AUDIT_LOG);
  return directory;
}

export type AuditName = Awaited<ReturnType<typeof claimAuditName>>;

/**
 * Claims the name `<producer id>`, or `<producer id>-2`, -3 and so on if a live process writes to that one. Makes the folder with mode 0700 if it is
 * missing. `release` gives the name back to other processes, and never throws. Rejects with a Fault if the folder cannot be made, or if others could
 * reach it.
 */
export async function claimAuditName(directory: string, producerId: string) {
  assurePrivateDirectory(directory, process.getuid?.(), AUDIT_LOG);
  const base = fileNameOf(producerId).slice(0, LONGEST_NAME);
  return withClaim(join(directory, base), async () => {
    for (let instance = 1; ; instance += 1) {
      const name = `${base}${instance === 1 ? "" : `-${instance}`}`;
      const owner = join(directory, `.${name}.pid`);
      const taken = takeOwnership(owner);
      if (taken.kind === "taken") return { fileName: `${name}.ndjson`, release: taken.release };
    }
  });
}
