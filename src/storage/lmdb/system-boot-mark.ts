// Under the policies "os" and "none" nothing is forced to the disk, so after a power cut a file may have some of its newest pages and lack others.
// The file does not show this. A mark beside the file therefore exists while the disk may lack something, and names the start of the system.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";

export interface SystemBootMark {
  readonly isThere: () => boolean;
  /** Whether the mark was made before the latest start of the system. */
  readonly isOfAnotherBoot: () => boolean;
  readonly make: () => void;
  readonly remove: () => void;
}

/** Two starts of a system are further apart than this, s. A smaller difference is a clock that was set. */
const SAME_SYSTEM_BOOT_SECONDS = 120;

/** Name of the present start of the system: its id on systems that have one, else its time, s since 1970. */
export function currentSystemBoot(wallTime: number): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return String(Math.round(wallTime / 1000 - uptime()));
  }
}

function isSameSystemBoot(one: string, other: string): boolean {
  if (one === other) return true;
  const seconds = Math.abs(Number(one) - Number(other));
  return seconds <= SAME_SYSTEM_BOOT_SECONDS;
}

/** The mark beside the data file `path`. `boot` is the present one. */
export function createBootMark(path: string, boot: string): SystemBootMark {
  const mark = `${path}-unsynced`;
  return {
    isThere: () => existsSync(mark),
    isOfAnotherBoot: () => {
      try {
        return !isSameSystemBoot(readFileSync(mark, "utf8").trim(), boot);
      } catch {
        return false;
      }
    },
    make: () => {
      writeFileSync(mark, `${boot}\n`, { mode: 0o600 });
      // Windows syncs only a file opened for writing.
      const file = openSync(mark, "r+");
      try {
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    remove: () => rmSync(mark, { force: true }),
  };
}
