// Under the policies "os" and "none" nothing is forced to the disk, so after a power cut a file may have some of its newest pages and lack others.
// That cannot be seen in the file; so a mark stands beside it as long as there is something that the disk may not have, and says since which start
// of the system.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";

export interface SystemBootMark {
  readonly isThere: () => boolean;
  /** Whether the mark was made before the system was started last. */
  readonly isOfAnotherBoot: () => boolean;
  readonly make: () => void;
  readonly remove: () => void;
}

/** Clocks are set; starts of a system are further apart, s. */
const SAME_SYSTEM_BOOT_SECONDS = 120;

/** What tells one start of the system from another: an id where it has one, else when it was, s since 1970. */
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
      // Windows syncs only what it may write to.
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
