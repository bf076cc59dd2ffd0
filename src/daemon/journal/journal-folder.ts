// The folder of a journal. One process at a time writes to it; `.owner.pid` names that process.
import { dirname, join } from "node:path";
import { withClaim } from "../../../transports/ipc/claim.js";
import { assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { fileNameOf } from "../../../transports/ipc/paths.js";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { diskFailure } from "../../storage/lmdb/diagnose-disk.js";
import { assertPlainFiles, OWNER_FILE } from "../../storage/lmdb/plain-files.js";
import type { JournalChoice } from "../config/config-values.js";
import { type Ownership, ownerOf, takeOwnership } from "../platform/owner-file.js";
import { stateDirectory } from "../platform/state-directory.js";

export interface JournalFolder extends Ownership {
  readonly directory: string;
}

/** Leaves room for endings within the 255 bytes of a file name. */
const LONGEST_NAME = 200;

/** The folder of "auto" for a producer while no live daemon has it. */
export function defaultJournalDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  producerId: string,
): string {
  return join(stateDirectory(environment, "journal"), fileNameOf(producerId).slice(0, LONGEST_NAME));
}

/** Returns the live process that writes to the journal of a folder. */
export function journalOwner(directory: string): number | undefined {
  return ownerOf(join(directory, OWNER_FILE));
}

/**
 * Claims the folder of a choice, and makes it with mode 0700 if it is missing. If a live process has the folder, "auto" takes the next name, with -2,
 * -3 and so on. A named folder is refused with a Fault "address_in_use", and with `isOnly` the folder of "auto" too. Rejects with a Fault
 * "permission_denied" if others could reach the folder, "address_invalid" if something in it stands in the place of a file, and
 * "storage_unavailable" if the disk takes nothing.
 */
export async function claimJournalFolder(
  choice: Exclude<JournalChoice, { readonly kind: "memory" }>,
  environment: Readonly<Record<string, string | undefined>>,
  producerId: string,
  isOnly = false,
): Promise<JournalFolder> {
  const wanted = choice.kind === "auto" ? defaultJournalDirectory(environment, producerId) : choice.path;
  try {
    return await claim(wanted, choice.kind === "directory", isOnly ? producerId : undefined);
  } catch (caught) {
    throw diskFault(wanted, caught) ?? caught;
  }
}

/** `onlyName`: the name that one daemon at a time may have. */
async function claim(wanted: string, isNamed: boolean, onlyName: string | undefined): Promise<JournalFolder> {
  makePrivate(isNamed ? wanted : dirname(wanted));
  // Claims on a named folder are files in it: nothing is written beside it.
  return withClaim(isNamed ? join(wanted, "journal") : wanted, async () => {
    for (let instance = 1; ; instance += 1) {
      const directory = `${wanted}${instance === 1 ? "" : `-${instance}`}`;
      makePrivate(directory);
      assertPlainFiles(directory);
      const taken = takeOwnership(join(directory, OWNER_FILE));
      if (taken.kind === "taken") return { directory, ...taken };
      if (isNamed) throw inUse(directory, taken.pid);
      if (onlyName !== undefined) throw nameInUse(onlyName, directory, taken.pid);
    }
  });
}

function makePrivate(directory: string): void {
  assurePrivateDirectory(directory, process.getuid?.(), "the journal");
}

/** Returns undefined if the disk is not the reason. */
function diskFault(directory: string, caught: unknown): Fault | undefined {
  const failure = diskFailure(nodeErrorCode(caught instanceof Fault ? caught.cause : caught));
  if (failure === undefined) return undefined;
  const sentence = `The journal cannot stand in ${directory}. ${failure.reason} ${failure.remedy} With --journal memory it needs no disk.`;
  return new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
}

function nameInUse(producerId: string, directory: string, pid: number): Fault {
  const where = `process ${pid} has the journal in ${directory}. It serves another runtime folder (XDG_RUNTIME_DIR), or its socket was removed and is there again within a minute`;
  const advice = "Use that daemon, stop it, or give this one another name (--producer-id NAME)";
  const sentence = `A daemon named ${producerId} runs already: ${where}. ${advice}.`;
  return new Fault("address_in_use", sentence, { origin: "local" });
}

function inUse(directory: string, pid: number): Fault {
  return new Fault(
    "address_in_use",
    `The journal in ${directory} is in use by process ${pid}. Stop that one, or name another folder (--journal).`,
    { origin: "local" },
  );
}
