// Notes beside the data file, in files of their own.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { uptime } from "node:os";
import { dirname } from "node:path";
import type { Epoch } from "../../engine/event/event.js";

/**
 * The first epoch of the latest boot, noted beside the data file `path`; 0 if none is noted. The epochs of the next boot are above it, even if that
 * boot made nothing durable, or if the journal itself is lost (R29). Every start moves epochs an hour and ten minutes ahead of the clock, so the
 * clock alone would not do.
 */
export function notedEpoch(path: string): Epoch {
  try {
    const epoch = Number(readFileSync(`${path}-epoch`, "utf8"));
    return Number.isSafeInteger(epoch) && epoch > 0 ? epoch : 0;
  } catch {
    return 0;
  }
}

/** Notes the epoch. The disk has it when this returns. */
export function noteEpoch(path: string, epoch: Epoch): void {
  const draft = `${path}-epoch-new`;
  synced(draft, "w", (file) => writeSync(file, `${epoch}\n`));
  renameSync(draft, `${path}-epoch`);
  synced(dirname(path), "r");
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

/**
 * The mark beside the data file while the disk may lack something of it. Under the policies "os" and "none" nothing is forced to the disk, so after a
 * power cut a file may have some of its newest pages and lack others, which the file does not show. The mark names the start of the system.
 */
export class SystemBootMark {
  private readonly path: string;
  private readonly boot: string;

  /** `boot` is the present start of the system. */
  constructor(path: string, boot: string) {
    this.path = `${path}-unsynced`;
    this.boot = boot;
  }

  isThere(): boolean {
    return existsSync(this.path);
  }

  /** Whether the mark was made before the latest start of the system. */
  isOfAnotherBoot(): boolean {
    try {
      const made = readFileSync(this.path, "utf8").trim();
      return made !== this.boot && !(Math.abs(Number(made) - Number(this.boot)) <= SAME_SYSTEM_BOOT_SECONDS);
    } catch {
      return false;
    }
  }

  make(): void {
    synced(this.path, "w", (file) => writeSync(file, `${this.boot}\n`));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Opens a file or a folder, and returns when the disk has it. Windows syncs only a file opened for writing. */
export function synced(path: string, flags: "r" | "r+" | "w", write: (file: number) => void = () => {}): void {
  const file = openSync(path, flags, 0o600);
  try {
    write(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
