// Why a file cannot be written: LMDB says "Input/output error" for a full disk, so the disk is asked itself.
import { randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes come with pages around them. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

const DISK_SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Make room on it.",
  EDQUOT: "The disk quota of this user is used up. Make room.",
  EROFS: "The file system is read-only. Make it writable, or name another folder (--journal).",
  EIO: "The disk reports errors. Look at the system's log.",
  EFBIG: "The file has reached the largest size that this process may write. Raise the limit.",
};

const FOLDER_SENTENCES: Readonly<Record<string, string>> = {
  EACCES: "This user may not write to its folder. Give it back, or name another one (--journal).",
  EPERM: "This user may not write to its folder. Give it back, or name another one (--journal).",
  ENOENT: "Its folder is gone. Restart the daemon, or put the folder back.",
};

/** Why nothing can be written, in a sentence, by the system's code; undefined where it is not the disk. */
export function diskReason(code: string | undefined): string | undefined {
  return code === undefined ? undefined : DISK_SENTENCES[code];
}

/** Tries to write `owedBytes` and some more beside `path`. Undefined where that is possible. Never rejects. */
export async function diagnoseDisk(path: string, owedBytes: number): Promise<string | undefined> {
  const probe = join(dirname(path), `.probe-${process.pid}-${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(probe, "wx", 0o600);
    try {
      await file.writeFile(Buffer.alloc(Math.min(MOST_BYTES, LEAST_BYTES + 2 * owedBytes), 1));
      await file.datasync();
    } finally {
      await file.close();
      await rm(probe, { force: true });
    }
    return undefined;
  } catch (caught) {
    const code = caught instanceof Error && "code" in caught ? String(caught.code) : "";
    return DISK_SENTENCES[code] ?? FOLDER_SENTENCES[code] ?? `Writing beside it failed (${code || String(caught)}).`;
  }
}
