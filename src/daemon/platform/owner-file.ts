// Files that say which process has something: its number and, where the system tells, when it began. A number alone may have been given to another
// process since, or be the same in the next container.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isProcess } from "../../../transports/ipc/claim.js";
import { isAlreadyThere, isMissing } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { otherThanFile } from "../../storage/lmdb/plain-files.js";

export interface Ownership {
  /** Whether a process that had it has ended without giving it back. */
  readonly wasLeft: boolean;
  /** The live process that has taken it since; for good, because that one may have changed all there is. Where the file is gone it is made again. */
  readonly otherOwner: () => number | undefined;
  /** Leaves the file alone where it is another's by now. */
  readonly release: () => void;
}

export type Taken = ({ readonly kind: "taken" } & Ownership) | { readonly kind: "owned"; readonly pid: number };

/**
 * Makes `path` this process's own unless a live one has it. To be called under a claim, so that nobody else looks at the same time. Throws a Fault
 * "address_invalid" where something else than a file stands there.
 */
export function takeOwnership(path: string): Taken {
  const other = otherThanFile(path);
  if (other !== undefined) throw notAFile(path, other);
  const content = `${process.pid}\n${beginningOf(process.pid)}\n`;
  const taken = (wasLeft: boolean): Taken => ({ kind: "taken", wasLeft, ...ownershipOf(path, content) });
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    return taken(false);
  } catch (caught) {
    if (!isAlreadyThere(caught)) {
      // A full disk takes the name, and not what is in it.
      rmSync(path, { force: true });
      throw caught;
    }
  }
  const pid = ownerOf(path);
  if (pid !== undefined) return { kind: "owned", pid };
  writeFileSync(path, content, { mode: 0o600 });
  return taken(true);
}

function ownershipOf(path: string, content: string): Omit<Ownership, "wasLeft"> {
  let other: number | undefined;
  return {
    otherOwner: () => {
      if (other !== undefined || contentOf(path) === content) return other;
      other = ownerOf(path);
      try {
        if (other === undefined && otherThanFile(path) === undefined) writeFileSync(path, content, { mode: 0o600 });
      } catch {
        // The disk takes nothing, which is told of the journal itself; it is tried again with the next look.
      }
      return other;
    },
    release: () => {
      if (contentOf(path) === content) rmSync(path, { force: true });
    },
  };
}

/** Undefined where it cannot be read. */
function contentOf(path: string): string | undefined {
  try {
    return otherThanFile(path) === undefined ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function notAFile(path: string, other: string): Fault {
  const sentence = `${path} is ${other}, where a file is to say which process has the place. Remove it, or choose another place.`;
  return new Fault("address_invalid", sentence, { origin: "local" });
}

/** The live process whose `path` is. */
export function ownerOf(path: string): number | undefined {
  // What is no file names nobody; whoever wants to write there is told of it.
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

/** When a process began, in whatever the system counts by; "" where it does not tell. */
function beginningOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // The name may have spaces and brackets in it; what follows it has none.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return `${boot} ${fields?.[19] ?? ""}`;
  } catch {
    return "";
  }
}
