// The folder of a journal, and that one process writes to it. Its owner is named in `.owner.pid`.
import { dirname, join } from "node:path";
import { withClaim } from "../../../transports/ipc/claim.js";
import { assurePrivateDirectory } from "../../../transports/ipc/directory.js";
import { fileNameOf } from "../../../transports/ipc/paths.js";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { diskFailure } from "../../storage/lmdb/diagnose-disk.js";
import { assertPlainFiles, OWNER_FILE } from "../../storage/lmdb/plain-files.js";
import type { JournalChoice } from "../config/config.js";
import { type Ownership, ownerOf, takeOwnership } from "../platform/owner-file.js";
import { stateDirectory } from "../platform/state-directory.js";

export interface JournalFolder extends Ownership {
  readonly directory: string;
}

/** Leaves room for endings in the 255 bytes that file systems give a name. */
const LONGEST_NAME = 200;

/** The folder that "auto" means for a producer as long as no live daemon has it. */
export function defaultJournalDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  producerId: string,
): string {
  return join(stateDirectory(environment, "journal"), fileNameOf(producerId).slice(0, LONGEST_NAME));
}

/** The live process that writes to the journal of a folder. */
export function journalOwner(directory: string): number | undefined {
  return ownerOf(join(directory, OWNER_FILE));
}

/**
 * The folder of a choice, made where it is missing, with mode 0700. Where a live process has it, "auto" takes the next name, with -2, -3 and so on; a
 * folder that was named is refused with a Fault "address_in_use". Rejects with a Fault "permission_denied" where others could reach it,
 * "address_invalid" where something in it that is to be a file is none, and "storage_unavailable" where the disk takes nothing.
 */
export async function claimJournalFolder(
  choice: Exclude<JournalChoice, { readonly kind: "memory" }>,
  environment: Readonly<Record<string, string | undefined>>,
  producerId: string,
): Promise<JournalFolder> {
  const wanted = choice.kind === "auto" ? defaultJournalDirectory(environment, producerId) : choice.path;
  try {
    return await claim(wanted, choice.kind === "directory");
  } catch (caught) {
    throw diskFault(wanted, caught) ?? caught;
  }
}

async function claim(wanted: string, isNamed: boolean): Promise<JournalFolder> {
  makePrivate(isNamed ? wanted : dirname(wanted));
  // Claims on a folder that was named stand in it: nothing is written beside it.
  return withClaim(isNamed ? join(wanted, "journal") : wanted, async () => {
    for (let instance = 1; ; instance += 1) {
      const directory = `${wanted}${instance === 1 ? "" : `-${instance}`}`;
      makePrivate(directory);
      assertPlainFiles(directory);
      const taken = takeOwnership(join(directory, OWNER_FILE));
      if (taken.kind === "taken") return { directory, ...taken };
      if (isNamed) throw inUse(directory, taken.pid);
    }
  });
}

function makePrivate(directory: string): void {
  assurePrivateDirectory(directory, process.getuid?.(), "the journal");
}

/** Undefined where the disk is not the reason. */
function diskFault(directory: string, caught: unknown): Fault | undefined {
  const failure = diskFailure(nodeErrorCode(caught instanceof Fault ? caught.cause : caught));
  if (failure === undefined) return undefined;
  const sentence = `The journal cannot stand in ${directory}. ${failure.reason} ${failure.remedy} With --journal memory it needs no disk.`;
  return new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
}

function inUse(directory: string, pid: number): Fault {
  return new Fault(
    "address_in_use",
    `The journal in ${directory} is in use by process ${pid}. Stop that one, or name another folder (--journal).`,
    { origin: "local" },
  );
}
