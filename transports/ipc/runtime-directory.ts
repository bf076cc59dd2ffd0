// The default folder of this user's sockets, and the folder around it, which the system or a script made.
import { existsSync, type Stats, statSync } from "node:fs";
import { Fault } from "../../src/base/errors.js";
import { assertPrivateDirectory, assurePrivateDirectory, writersOf } from "./directory.js";
import { type IpcPlace, ipcDirectory, runtimeDirectory } from "./paths.js";

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
  if (existsSync(directory)) assertPrivateDirectory(directory, place.userId);
}

function assertAround(directory: string, place: IpcPlace): void {
  const runtime = runtimeDirectory(place);
  if (runtime !== undefined && directory === ipcDirectory(place)) assertOwnRuntimeDirectory(runtime, place.userId);
}

function assertOwnRuntimeDirectory(runtime: string, userId: number | undefined): void {
  const status = statusOf(runtime);
  // A missing folder is made later, with the right mode.
  if (status === undefined) return;
  if (userId !== undefined && status.uid !== userId) refuse(runtime, `belongs to user ${status.uid}`);
  const mode = status.mode & 0o7777;
  if ((mode & 0o022) !== 0)
    refuse(runtime, `has mode 0${mode.toString(8)}, so that ${writersOf(mode)} can write to it`);
}

function statusOf(runtime: string): Stats | undefined {
  try {
    return statSync(runtime);
  } catch {
    // Making the folder of the socket reports the reason.
    return undefined;
  }
}

function refuse(runtime: string, is: string): never {
  const advice =
    "Set the variable to a folder of your own with mode 700, unset it, or name a socket in such a folder (--socket PATH).";
  throw new Fault("permission_denied", `XDG_RUNTIME_DIR names ${runtime}, which ${is}. ${advice}`, { origin: "local" });
}
