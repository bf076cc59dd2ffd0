// Describes the machine of the figures, without its owner.
import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measuring.mjs";

/** Numbers of `statfs(2)`. */
const FILE_SYSTEMS = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlayfs"],
  [0x2fc12fc1, "zfs"],
]);

export function machine() {
  const [first] = cpus();
  return {
    cpu: first?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
  };
}

/** The disk under `folder`: its file system, and the time until it has 4 KiB. */
export function diskOf(folder) {
  const file = openSync(join(folder, "sync"), "w");
  const block = Buffer.alloc(4096, 1);
  const micros = [];
  for (let turn = 0; turn < 50; turn += 1) {
    const begin = performance.now();
    writeSync(file, block, 0, block.length, 0);
    fdatasyncSync(file);
    micros.push((performance.now() - begin) * 1000);
  }
  closeSync(file);
  const { type } = statfsSync(folder);
  return { fileSystem: FILE_SYSTEMS.get(type) ?? `0x${type.toString(16)}`, syncMicros: Math.round(median(micros)) };
}

/** The measured commit; undefined outside a repository. */
export function commit() {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd, encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
