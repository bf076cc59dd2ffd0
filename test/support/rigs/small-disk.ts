// A disk of a few hundred kilobytes, for what happens when it is full or becomes read-only: a tmpfs in a namespace of its own, where the system gives ordinary
// users one, or mounted by root; else a limit on the length of files, which makes writes fail as a full disk does. A script runs on it as a child.
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../temporary-directory.js";

export type DiskKind = "mounted" | "limited";

/** What this system lets us do. A mount is the real thing. */
export function diskKind(): DiskKind {
  const probe = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", tmpdir()]);
  return probe.status === 0 ? "mounted" : "limited";
}

export interface ScriptOutcome {
  readonly code: number | null;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

/** Runs a script of test/fixtures with Node on a disk of `kilobytes`, whose folder is its first argument; it prints lines of JSON. */
export function onSmallDisk(kind: DiskKind, kilobytes: number, script: string): Promise<ScriptOutcome> {
  const directory = temporaryDirectory();
  const path = fileURLToPath(new URL(`../../fixtures/${script}`, import.meta.url));
  const run = `exec "$0" "$1" "$2" "$3"`;
  const [command, argv] =
    kind === "mounted"
      ? ["unshare", ["-rm", "sh", "-c", `mount -t tmpfs -o mode=700,size=${kilobytes}k tmpfs "$2" && ${run}`]]
      : // 512 bytes a block in POSIX shells.
        ["sh", ["-c", `trap '' XFSZ; ulimit -S -f ${kilobytes * 2}; ${run}`]];
  const child = spawn(command, [...argv, process.execPath, path, directory, kind], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const lines = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
      resolve({ code, lines, stderr });
    });
  });
}
