// The reason why a file cannot be written. LMDB says "Input/output error" for a full disk, so a file is written as a trial.
import { randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JournalFailure } from "../../contracts/journal.js";

/** Bytes of pages that a write needs besides its own bytes. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

const DISK_FAILURES: Readonly<Record<string, JournalFailure>> = {
  ENOSPC: { reason: "The disk is full.", remedy: "Make room on it." },
  EDQUOT: { reason: "The disk quota of this user is used up.", remedy: "Make room." },
  EROFS: {
    reason: "The file system is read-only.",
    remedy: "Make it writable, or name another folder (--journal).",
  },
  EIO: { reason: "The disk reports errors.", remedy: "Look at the system's log." },
  EMFILE: { reason: "This process may open no more files.", remedy: "Close connections, or raise the limit." },
  ENFILE: { reason: "The system may open no more files.", remedy: "End programs, or raise the limit." },
  EFBIG: {
    reason: "The file has reached the largest size that this process may write.",
    remedy: "Raise the limit.",
  },
};

const NOT_PERMITTED: JournalFailure = {
  reason: "This user may not write to its folder.",
  remedy: "Give it back, or name another one (--journal).",
};

const FOLDER_FAILURES: Readonly<Record<string, JournalFailure>> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  ENOENT: { reason: "Its folder is gone.", remedy: "Put the folder back, or restart the daemon." },
};

/** The reason by the system's error code; undefined for a code that does not concern the disk. */
export function diskFailure(code: string | undefined): JournalFailure | undefined {
  return code === undefined ? undefined : DISK_FAILURES[code];
}

/** Tries to write `pendingBytes` and some more beside `path`. Answers undefined if the trial succeeds. Never rejects. */
export async function diagnoseDisk(path: string, pendingBytes: number): Promise<JournalFailure | undefined> {
  const probe = join(dirname(path), `.probe-${process.pid}-${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(probe, "wx", 0o600);
    try {
      await file.writeFile(Buffer.alloc(Math.min(MOST_BYTES, LEAST_BYTES + 2 * pendingBytes), 1));
      await file.datasync();
    } finally {
      await file.close();
      await rm(probe, { force: true });
    }
    return undefined;
  } catch (caught) {
    const code = caught instanceof Error && "code" in caught ? String(caught.code) : "";
    const unknown = `Writing beside it failed (${code || String(caught)}).`;
    return DISK_FAILURES[code] ?? FOLDER_FAILURES[code] ?? { reason: unknown, remedy: "Look at the system's log." };
  }
}
