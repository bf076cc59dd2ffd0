// Files that name the owning process of something: its number and, if the system reports it, its start time. A number alone may belong to a later
// process, or to a process of another container.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isProcess } from "../../../transports/ipc/claim.js";
import { isAlreadyThere, isMissing } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { otherThanFile } from "../../storage/lmdb/plain-files.js";

export interface Ownership {
  /** Whether an earlier owner ended without releasing the file. */
  readonly wasLeft: boolean;
  /** Removes the file, unless another process owns it by now. */
  readonly release: () => void;
}

export type Taken = ({ readonly kind: "taken" } & Ownership) | { readonly kind: "owned"; readonly pid: number };

/**
 * Takes the file `path` for this process unless a live process owns it. Call it under a claim, so that no other process looks at the same time.
 * Throws a Fault "address_invalid" if `path` is not a file.
 */
export function takeOwnership(path: string): Taken {
  const other = otherThanFile(path);
  if (other !== undefined) {
    const sentence = `${path} is ${other}, where a file is to say which process has the place. Remove it, or choose another place.`;
    throw new Fault("address_invalid", sentence, { origin: "local" });
  }
  const content = `${process.pid}\n${beginningOf(process.pid)}\n`;
  const taken = (wasLeft: boolean): Taken => ({ kind: "taken", wasLeft, release: () => release(path, content) });
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    return taken(false);
  } catch (caught) {
    if (!isAlreadyThere(caught)) {
      // A full disk may create the file without its content.
      rmSync(path, { force: true });
      throw caught;
    }
  }
  const pid = ownerOf(path);
  if (pid !== undefined) return { kind: "owned", pid };
  writeFileSync(path, content, { mode: 0o600 });
  return taken(true);
}

/** A file that cannot be read is not this process's to remove. */
function release(path: string, content: string): void {
  try {
    if (otherThanFile(path) === undefined && readFileSync(path, "utf8") === content) rmSync(path, { force: true });
  } catch {
    // It stays, and its owner is one that has ended.
  }
}

/** Returns the live process that owns `path`. */
export function ownerOf(path: string): number | undefined {
  // Something other than a file names no owner; `takeOwnership` reports it.
  if (otherThanFile(path) !== undefined) return undefined;
  try {
    const [pid = "", beginning = ""] = readFileSync(path, "utf8").split("\n");
    const owner = Number.parseInt(pid, 10);
    if (!isProcess(owner)) return undefined;
    const begun = beginningOf(owner);
    return beginning === "" || begun === "" || beginning === begun ? owner : undefined;
  } catch (caught) {
    if (isMissing(caught)) return undefined;
    throw caught;
  }
}

/** Returns the start time of a process in the system's own units; "" if the system does not report it. */
function beginningOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // The name of the process may contain spaces and brackets; the fields behind it contain none.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return `${boot} ${fields?.[19] ?? ""}`;
  } catch {
    return "";
  }
}
