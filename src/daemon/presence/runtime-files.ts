// The file beside each socket: `<name>.manifest.json` contains the manifest of the producer (AAEP §5.10) with two more members, `pid` and `framings`
// (appendix B). Readers find all daemons in the folder, and the manifest of a socket next to it.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { FRAMINGS } from "../../../transports/framing/framings.js";
import { isProcess } from "../../../transports/ipc/claim.js";
import { isPipeName } from "../../../transports/ipc/paths.js";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { writeWhole } from "../platform/whole-file.js";

const SUFFIX = ".manifest.json";

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Returns the path of the file for a socket or pipe: `…/planner.sock` has `…/planner.manifest.json`. Pipes have no folder of their own. The files of
 * pipes are in `pipeDirectory`, by default the folder of the user's local programs.
 */
export function manifestPath(address: string, pipeDirectory: string = defaultPipeDirectory()): string {
  if (isPipeName(address)) return join(pipeDirectory, `${address.split("\\").at(-1)}${SUFFIX}`);
  return join(dirname(address), `${basename(address).replace(/\.sock$/, "")}${SUFFIX}`);
}

/**
 * Writes the file of a process with mode 0600, in one step: readers see the manifest of before or this one, whole. Throws a Fault "permission_denied"
 * or another of the file system's.
 */
export function writeRuntimeFile(path: string, manifest: object, pid = process.pid): void {
  try {
    writeWhole(path, `${JSON.stringify({ ...manifest, pid, framings: FRAMINGS }, null, 2)}\n`);
  } catch (caught) {
    throw faultFromNodeError(caught, path);
  }
}

/** Whether the file is there, and of this process. */
export function isOwnRuntimeFile(path: string): boolean {
  return readRuntimeFile(path)?.pid === process.pid;
}

/** Removes the file, unless it belongs to another process by now. Never throws. */
export function removeRuntimeFile(path: string): void {
  try {
    if (isOwnRuntimeFile(path)) rmSync(path, { force: true });
  } catch {
    // The folder belongs to somebody else by now, so the file is not ours to remove.
  }
}

/** Returns the contents of such a file; undefined if there is none or if it is malformed. */
export function readRuntimeFile(path: string): Manifest | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof content === "object" && content !== null && !Array.isArray(content)
      ? (content as Manifest)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the path of the token for the services of a manifest's daemon: `…/planner.manifest.json` has `…/planner.token`. */
export function tokenPathBeside(manifestFile: string): string {
  return `${manifestFile.slice(0, -SUFFIX.length)}.token`;
}

/** Removes the files of killed daemons: files in `directory` whose process no longer exists. Never throws. */
export function removeStaleRuntimeFiles(directory: string): void {
  for (const name of namesIn(directory)) {
    if (!name.endsWith(SUFFIX)) continue;
    const path = join(directory, name);
    const pid = readRuntimeFile(path)?.pid;
    if (typeof pid !== "number" || isProcess(pid)) continue;
    try {
      rmSync(path, { force: true });
      rmSync(tokenPathBeside(path), { force: true });
    } catch {
      // The next start tries again.
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function defaultPipeDirectory(): string {
  return join(process.env.LOCALAPPDATA ?? tmpdir(), "AAEP");
}
