// Where the audit log stands, and that no two processes write to one file: rotation would take it from under the other.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { isProcess, withClaim } from "../../transports/ipc/claim.js";
import { assurePrivateDirectory } from "../../transports/ipc/directory.js";
import { fileNameOf } from "../../transports/ipc/paths.js";
import { isAlreadyThere } from "../../transports/node-errors.js";

/** The folder that `audit: "auto"` means. */
export function defaultAuditDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_STATE_HOME: stateHome, LOCALAPPDATA: local, HOME: home = homedir() } = environment;
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, "aaepd", "audit");
  if (platform === "win32" && local !== undefined) return join(local, "aaepd", "audit");
  return join(home, ".local", "state", "aaepd", "audit");
}

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
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  assurePrivateDirectory(directory, process.getuid?.());
  const base = fileNameOf(producerId).slice(0, LONGEST_NAME);
  return withClaim(join(directory, base), async () => {
    for (let instance = 1; ; instance += 1) {
      const name = `${base}${instance === 1 ? "" : `-${instance}`}`;
      const owner = join(directory, `.${name}.pid`);
      if (take(owner)) return { name: `${name}.ndjson`, release: () => rmSync(owner, { force: true }) };
    }
  });
}

/** Whether the name is this process's from now on. Called under a claim, so that nobody else looks at the same time. */
function take(owner: string): boolean {
  try {
    writeFileSync(owner, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (caught) {
    if (!isAlreadyThere(caught)) throw caught;
  }
  // Of a process that was killed, the file stays.
  if (isProcess(Number.parseInt(readFileSync(owner, "utf8"), 10))) return false;
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 });
  return true;
}
