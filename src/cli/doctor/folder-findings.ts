// The folders of sockets, journal and audit log: their owner, their mode, and whether this user can write there.
import { accessSync, constants, existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { assertPrivateDirectory, assertSocketDirectory } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { problemFrom } from "../shell/finding-lines.js";
import type { Patient } from "./patient.js";

interface Folder {
  /** The purpose of the folder, in the middle of a sentence. */
  readonly what: string;
  readonly path: string;
  /** Whether the daemon chose the place, so that nothing else is in it. */
  readonly isOwn: boolean;
  /** Throws a Fault if others can reach the folder. */
  readonly assert: (path: string) => void;
}

export function folderFindings(patient: Patient): readonly Finding[] {
  return foldersOf(patient).flatMap((folder) => folderFinding(folder, patient.place.userId));
}

/** The folder of the journal that `serve` would open; undefined for a journal in memory. */
export function journalDirectoryOf({ configuration, io }: Patient): string | undefined {
  const { journal, producerId } = configuration;
  if (journal.kind === "memory") return undefined;
  return journal.kind === "directory" ? journal.path : defaultJournalDirectory(io.environment, producerId);
}

function foldersOf(patient: Patient): readonly Folder[] {
  const { configuration, io, place } = patient;
  const { socket, audit } = configuration;
  const inPlace = (path: string): void => assertSocketDirectory(path, place);
  const privately =
    (what: string) =>
    (path: string): void => {
      if (existsSync(path)) assertPrivateDirectory(path, place.userId, what);
    };
  const folders: Folder[] = [];
  const [usual] = io.daemonDirectories;
  if (usual !== undefined && socket.kind === "auto")
    folders.push({ what: "the socket", path: usual, isOwn: true, assert: inPlace });
  if (socket.kind === "path" && place.platform !== "win32")
    folders.push({ what: "the socket", path: dirname(socket.path), isOwn: false, assert: inPlace });
  const journal = journalDirectoryOf(patient);
  if (journal !== undefined) {
    const isOwn = configuration.journal.kind === "auto";
    folders.push({ what: "the journal", path: journal, isOwn, assert: privately("the journal") });
  }
  if (audit.kind !== "off") {
    const path = audit.kind === "directory" ? audit.path : stateDirectory(io.environment, "audit");
    folders.push({ what: "the audit log", path, isOwn: audit.kind === "auto", assert: privately("the audit log") });
  }
  return folders;
}

function folderFinding({ what, path, isOwn, assert }: Folder, userId: number | undefined): Finding {
  try {
    assert(path);
  } catch (caught) {
    if (!(caught instanceof Fault)) throw caught;
    const found = problemFrom(caught);
    return isOwn && isOwnFolder(path, userId) ? { ...found, remedy: `Run: chmod 700 ${shellWord(path)}` } : found;
  }
  const nearest = nearestExisting(path);
  const isThere = nearest === path;
  const folder = `The folder of ${what}, ${path},`;
  if (isWritableFolder(nearest))
    return fact("folder", `${folder}${isThere ? "" : " which does not exist yet,"} is fit for use.`);
  const fault = isThere ? "cannot be written" : `does not exist and cannot be made: ${nearest} takes no folders`;
  const remedy = `Give yourself the right to write to ${nearest}, or choose another folder.`;
  return problem("not_writable", `${folder} ${fault}.`, remedy);
}

function isOwnFolder(path: string, userId: number | undefined): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status?.isDirectory() === true && (userId === undefined || status.uid === userId);
}

/** The path itself, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    // A link to a folder is one; the owner was checked before.
    return existsSync(`${path}/.`);
  } catch {
    return false;
  }
}
