// The folders of sockets, journal and audit log: their owner, their mode, whether this user can write there, and the room on their disks.
import { accessSync, constants, existsSync, lstatSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { assertPrivateDirectory, assertSocketDirectory } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { advice, type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { problemFrom } from "../shell/finding-lines.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import type { DiskFacts, Patient } from "./patient.js";

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
function nearestExisting(path: string): string {
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

/** With less room, a journal soon refuses events. */
const LEAST_BYTES = 64 * 1024 * 1024;
/** Room for the small files beside a socket. */
const LEAST_RUNTIME_BYTES = 1024 * 1024;
/** File systems on which two machines may map one file: NFS, SMB, SMB 2, 9P, by their numbers on Linux. */
const NETWORK_TYPES: readonly number[] = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997];

/** Reads the figures of the file system of an existing folder. Returns undefined if the system does not tell. */
export function diskFactsOf(directory: string): DiskFacts | undefined {
  try {
    const { bavail, bsize, files, ffree, type } = statfsSync(directory);
    return { freeBytes: bavail * bsize, freeFiles: files === 0 ? undefined : ffree, type };
  } catch {
    return undefined;
  }
}

export function diskFindings(patient: Patient): readonly Finding[] {
  const { io } = patient;
  const configured = journalDirectoryOf(patient);
  // A daemon may have been started with another journal than the configuration's.
  const running = patient.daemons.flatMap(({ status }) =>
    status.journal.path === undefined ? [] : [dirname(status.journal.path)],
  );
  const journals = new Set([...(configured === undefined ? [] : [configured]), ...running]);
  const found =
    journals.size === 0
      ? journalDiskFindings(patient, stateDirectory(io.environment, "audit"), false)
      : [...journals].flatMap((journal) => journalDiskFindings(patient, journal, true));
  return [...found, ...runtimeDiskFindings(patient)];
}

function journalDiskFindings(
  { configuration, diskFacts }: Patient,
  directory: string,
  isJournal: boolean,
): readonly Finding[] {
  const state = nearestExisting(directory);
  const facts = diskFacts(state);
  const found: Finding[] = [];
  if (facts !== undefined) {
    const free = shownBytes(facts.freeBytes);
    if (facts.freeBytes < LEAST_BYTES) {
      const message = `The disk of ${state} has ${free} left. Without room the daemon refuses events.`;
      found.push(problem("disk_full", message, "Make room on it, or choose another folder (--journal)."));
    } else if (isJournal && facts.freeBytes < configuration.journalRetentionBytes) {
      const message = `The journal may grow to ${shownBytes(configuration.journalRetentionBytes)}, and its disk has ${free} left.`;
      found.push(advice("disk_short", message, "Make room on the disk, or lower journal_retention_bytes."));
    } else found.push(fact("disk", `The disk of ${state} has ${free} left.`));
    if (facts.freeFiles === 0)
      found.push(
        problem("no_files", `The file system of ${state} takes no more files.`, "Delete files that you do not need."),
      );
    if (isJournal && NETWORK_TYPES.includes(facts.type)) {
      const message = `The journal's folder ${state} is on a file system of the network, on which it may be damaged.`;
      found.push(advice("network_disk", message, "Choose a folder on a disk of this machine (--journal)."));
    }
  }
  return found;
}

function runtimeDiskFindings({ io, diskFacts }: Patient): readonly Finding[] {
  const found: Finding[] = [];
  const [sockets] = io.daemonDirectories;
  const runtime = sockets === undefined ? undefined : nearestExisting(sockets);
  const runtimeFacts = runtime === undefined ? undefined : diskFacts(runtime);
  if (runtime !== undefined && runtimeFacts !== undefined && runtimeFacts.freeBytes < LEAST_RUNTIME_BYTES) {
    const message = `The file system of ${runtime} has ${shownBytes(runtimeFacts.freeBytes)} left for sockets and their files.`;
    found.push(
      problem("runtime_full", message, "Make room on it, or set XDG_RUNTIME_DIR to another folder of your own."),
    );
  }
  return found;
}
