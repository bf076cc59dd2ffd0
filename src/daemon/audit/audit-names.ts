// Where the audit log stands, and that no two processes write to one file: rotation would take it from under the other.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withClaim } from "../../../transports/ipc/claim.js";
import { assertPrivateDirectory, assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { fileNameOf } from "../../../transports/ipc/paths.js";
import type { AuditChoice } from "../config/config.js";
import { takeOwnership } from "../platform/owner-file.js";
import { stateDirectory } from "../platform/state-directory.js";

export interface AuditFile {
  /** The file's name in its folder. */
  readonly name: string;
  /** Lets another process have the name. Never throws. */
  readonly release: () => void;
}

/** Leaves room for endings in the 255 bytes that file systems give a name. */
const LONGEST_NAME = 200;
/** As it is called in sentences. */
const AUDIT_LOG = "the audit log";

/**
 * The folder of a choice, refused at the start as that of a journal is: a Fault "permission_denied" where others could reach what is recorded there,
 * "address_invalid" where there can be no such folder. A folder that was named is made; the default one only when there is something to record.
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

/**
 * `<producer id>.ndjson`, or with -2, -3 and so on where a live process writes to that one. Makes the folder where it is missing, with mode 0700.
 * Rejects with a Fault where it cannot be had, or others could reach it.
 */
export async function claimAuditFile(directory: string, producerId: string): Promise<AuditFile> {
  assurePrivateDirectory(directory, process.getuid?.(), AUDIT_LOG);
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
