// The folders of sockets: which are safe from other users, and the default one. And the status of a socket's file.
import { type BigIntStats, existsSync, lstatSync, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../src/base/errors.js";
import { isAlreadyThere, isForbidden, isMissing, nodeErrorCode } from "../node-errors.js";
import { type IpcPlace, ipcDirectory, runtimeDirectory } from "./paths.js";

/**
 * Makes the folder of a socket if it is missing, and ensures that no other user can add, replace or reach a file in it: it must be ours, with
 * mode 0700, and no symbolic link. Does not change an existing folder. Throws a Fault "permission_denied" that names the remedy, or "address_invalid"
 * if such a folder is impossible. `what`: the purpose of the folder, for the sentences.
 */
export function assurePrivateDirectory(directory: string, userId: number | undefined, what = "the socket"): void {
  try {
    makeDirectories(directory);
  } catch (caught) {
    assertSeen(directory);
    const sentence = `The folder ${directory} cannot be made. Choose another one for ${what}. (${nodeErrorCode(caught)})`;
    throw new Fault(isForbidden(caught) ? "permission_denied" : "address_invalid", sentence, {
      origin: "local",
      cause: caught,
    });
  }
  assertPrivateDirectory(directory, userId, what);
}

/** Node's own `recursive` never returns if an existing folder takes no folders, as in /proc. */
function makeDirectories(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (caught) {
    const parent = dirname(directory);
    if (!isMissing(caught) || parent === directory || existsSync(parent)) throw caught;
    makeDirectories(parent);
    makeDirectory(directory);
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (caught) {
    if (!isAlreadyThere(caught) && !existsSync(directory)) throw caught;
  }
}

/** Checks an existing folder in the same way. Also throws Node's own error if the folder is missing. */
export function assertPrivateDirectory(directory: string, userId: number | undefined, what = "the socket"): void {
  assertSeen(directory);
  assertPrivate(directory, lstatSync(directory), userId, what);
}

/** Refuses a folder of which this user may not even know whether it is there. */
function assertSeen(directory: string): void {
  try {
    lstatSync(directory);
  } catch (caught) {
    if (!isForbidden(caught)) return;
    const is = "cannot be looked at: a folder above it is closed to this user";
    refuse(directory, is, "Choose a folder of your own; XDG_RUNTIME_DIR may be another user's, as su leaves it behind");
  }
}

/** The same for a folder whose status is known already. */
export function assertPrivate(directory: string, status: Stats, userId: number | undefined, what = "the socket"): void {
  assertFolder(directory, status);
  if (userId !== undefined && status.uid !== userId) belongsTo(directory, status.uid);
  const mode = status.mode & 0o777;
  if ((mode & 0o077) !== 0) {
    refuse(
      directory,
      `has mode 0${mode.toString(8)}, so that others can reach ${what}`,
      // Everybody's folder, such as /tmp, has the sticky bit, and root owns folders of the system.
      (status.mode & 0o1000) === 0
        ? `Run: chmod 700 ${directory}, unless anything else uses that folder; then put ${what} into a folder of its own`
        : `Put ${what} into a folder of your own with mode 700, in which nothing else is; do not change the mode of a folder of the system`,
    );
  }
}

/**
 * Ensures that no other user can replace what this user or root has put into a folder: the folder belongs to one of them, and others cannot write to
 * it, or it has the sticky bit, as /tmp has. Throws a Fault "permission_denied".
 */
export function assertUnswappable(directory: string, status: Stats, userId: number | undefined): void {
  assertFolder(directory, status);
  if (isForeign(status.uid, userId)) belongsTo(directory, status.uid);
  const mode = status.mode & 0o7777;
  if (isWritableForOthers(mode, status.gid, userId) && (mode & 0o1000) === 0) {
    const is = `has mode 0${mode.toString(8)}, so that ${writersOf(mode)} can write to it, and no sticky bit`;
    refuse(directory, is, `Run: chmod go-w ${directory}, or choose another folder`);
  }
}

/**
 * Whether anybody but this user and root may write to a file. The user's own group, which has the user's number and is the process's, has no other
 * member by convention. Group 0 has others on some systems.
 */
export function isWritableForOthers(mode: number, group: number, userId: number | undefined): boolean {
  const isOwnGroup = userId !== 0 && group === userId && group === process.getgid?.();
  return (mode & (isOwnGroup ? 0o002 : 0o022)) !== 0;
}

/** The users besides its owner who may write to a folder of that mode, as the subject of "can write". */
function writersOf(mode: number): string {
  return (mode & 0o002) === 0 ? "its group" : "everybody";
}

/** Whether that user is neither this one nor root, who may do everything anyway. */
export function isForeign(owner: number, userId: number | undefined): boolean {
  return userId !== undefined && owner !== userId && owner !== 0;
}

function assertFolder(directory: string, status: Stats): void {
  if (status.isSymbolicLink()) refuse(directory, "is a symbolic link", "Give the folder it points to");
  if (!status.isDirectory()) refuse(directory, "is not a folder", "Give a path in a folder");
}

function belongsTo(directory: string, owner: number): never {
  refuse(directory, `belongs to user ${owner}`, "Choose a folder of your own");
}

/** Returns the existing directories that no other user can write to. */
export function privateDirectories(directories: readonly string[], userId: number | undefined): readonly string[] {
  return directories.filter((directory) => {
    try {
      assertPrivateDirectory(directory, userId);
      return true;
    } catch {
      return false;
    }
  });
}

function refuse(directory: string, is: string, advice: string): never {
  throw new Fault("permission_denied", `The folder ${directory} ${is}. ${advice}.`, { origin: "local" });
}

/**
 * Ensures the folder of a socket as `assurePrivateDirectory` does. If it lies in the folder that XDG_RUNTIME_DIR names, the latter must belong to
 * this user, and no other user may write to it: a writer there could put another folder in the place of the socket's. Throws like
 * `assurePrivateDirectory`.
 */
export function assureSocketDirectory(directory: string, place: IpcPlace): void {
  assertAround(directory, place);
  assurePrivateDirectory(directory, place.userId);
}

/** Checks the folder as `assureSocketDirectory` does, and makes nothing. A missing folder passes. */
export function assertSocketDirectory(directory: string, place: IpcPlace): void {
  assertAround(directory, place);
  assertSeen(directory);
  if (existsSync(directory)) assertPrivateDirectory(directory, place.userId);
}

function assertAround(directory: string, place: IpcPlace): void {
  const runtime = runtimeDirectory(place);
  if (runtime !== undefined && directory === ipcDirectory(place)) assertOwnRuntimeDirectory(runtime, place.userId);
}

function assertOwnRuntimeDirectory(runtime: string, userId: number | undefined): void {
  const advice =
    "Set the variable to a folder of your own with mode 700, unset it, or name a socket in such a folder (--socket PATH).";
  const denied = (is: string): Fault =>
    new Fault("permission_denied", `XDG_RUNTIME_DIR names ${runtime}, which ${is}. ${advice}`, { origin: "local" });
  const status = statusOf(runtime);
  // A missing folder is made later, with the right mode. Making the folder of the socket reports why there is no status.
  if (status === undefined) return;
  if (userId !== undefined && status.uid !== userId) throw denied(`belongs to user ${status.uid}`);
  const mode = status.mode & 0o7777;
  if ((mode & 0o022) !== 0) throw denied(`has mode 0${mode.toString(8)}, so that ${writersOf(mode)} can write to it`);
}

function statusOf(runtime: string): Stats | undefined {
  try {
    return statSync(runtime);
  } catch {
    return undefined;
  }
}

/**
 * The status of a socket's file; undefined if there is none. In big integers, because Node 20 remembers the kind of the last file whose status it
 * read in plain numbers: after a socket, the next module behind a symbolic link would be loaded under a second name, and so twice.
 */
export function socketStatus(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}
