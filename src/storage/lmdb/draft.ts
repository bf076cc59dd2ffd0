// The copy of a data file while it is incomplete, and the refusals of a compaction.
import { statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../../base/errors.js";
import { diagnoseDisk } from "./diagnose-disk.js";

/** The path of the incomplete copy of the data file `path`. */
export function draftOf(path: string): string {
  return `${path}.compacting`;
}

/** Removes the copy, also one that a killed process left. Only the owner of the file may call this. Giving back a large file takes no turn (R34). */
export async function removeDraft(path: string): Promise<void> {
  for (const ending of ["", "-lock"]) await rm(`${draftOf(path)}${ending}`, { force: true });
}

/** Room that the journal itself keeps while its copy grows, bytes. */
const ROOM_BESIDE = 8 * 1024 * 1024;

/** Throws a Fault "storage_unavailable" if the disk has no room for a copy of so many bytes beside the journal. */
export function assertRoomForDraft(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  const missing = bytes + ROOM_BESIDE - bavail * bsize;
  if (missing <= 0) return;
  const sentence = `The journal ${path} cannot be compacted: its copy needs ${mebibytes(bytes + ROOM_BESIDE)} of the disk for a moment, and ${mebibytes(missing)} are missing. Make room.`;
  throw new Fault("storage_unavailable", sentence, { origin: "local" });
}

/** The Fault of a compaction that failed. Comes before the copy is removed, which may be all that fills the disk. */
export async function compactionFault(path: string, caught: unknown): Promise<Fault> {
  if (caught instanceof Fault) return caught;
  const found = await diagnoseDisk(path, 0);
  const told = caught instanceof Error ? caught.message : String(caught);
  const why = found === undefined ? `(${told})` : `${found.reason} ${found.remedy}`;
  return new Fault("storage_unavailable", `The journal ${path} could not be compacted, and lost nothing. ${why}`, {
    origin: "local",
    cause: caught,
  });
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
