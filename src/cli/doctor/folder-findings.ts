// The folders of sockets, journal and audit log: their owner, their mode, whether this user can write there, and the room on their disks.
import { accessSync, constants, existsSync, lstatSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { assertPrivateDirectory, assertSocketDirectory } from "../../../transports/ipc/directory.js";
import { Fault } from "../../base/errors.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { advice, type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { problemFrom } from "../shell/finding-lines.js";
import { shownBytes } from "../terminal/amounts.js";
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
  return Array.from(foldersOf(patient), (folder) => folderFinding(folder, patient.place.userId));
}

/** The folder of the journal that `serve` would open; undefined for a journal in memory. */
export function journalDirectoryOf({ configuration, io }: Patient): string | undefined {
  const { journal, producerId } = configuration;
  if (journal.kind === "memory") return undefined;
  return journal.kind === "directory" ? journal.path : defaultJournalDirectory(io.environment, producerId);
}

function* foldersOf(patient: Patient): Iterable<Folder> {
  const { configuration, io, place } = patient;
  const { socket, audit } = configuration;
  const inPlace = (path: string): void => assertSocketDirectory(path, place);
  const privately = (what: string, path: string, isOwn: boolean): Folder => {
    const assert = (): void => void (existsSync(path) && assertPrivateDirectory(path, place.userId, what));
    return { what, path, isOwn, assert };
  };
  const [usual] = io.daemonDirectories;
  if (usual !== undefined && socket.kind === "auto")
    yield { what: "the socket", path: usual, isOwn: true, assert: inPlace };
  if (socket.kind === "path" && place.platform !== "win32")
    yield { what: "the socket", path: dirname(socket.path), isOwn: false, assert: inPlace };
  const journal = journalDirectoryOf(patient);
  if (journal !== undefined) yield privately("the journal", journal, configuration.journal.kind === "auto");
  if (audit.kind === "off") return;
  const path = audit.kind === "directory" ? audit.path : stateDirectory(io.environment, "audit");
  yield privately("the audit log", path, audit.kind === "auto");
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
  if (!existsSync(path)) return false;
  const status = lstatSync(path);
  return status.isDirectory() && (userId === undefined || status.uid === userId);
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

export function* diskFindings(patient: Patient): Iterable<Finding> {
  const { io, daemons, diskFacts } = patient;
  // A daemon may have been started with another journal than the configuration's.
  const running = daemons.flatMap(({ status: { journal } }) =>
    journal.path === undefined ? [] : dirname(journal.path),
  );
  const journals = new Set([journalDirectoryOf(patient) ?? [], running].flat());
  for (const journal of journals) yield* stateDiskFindings(patient, journal, true);
  if (journals.size === 0) yield* stateDiskFindings(patient, stateDirectory(io.environment, "audit"), false);
  const runtime = nearestExisting(io.daemonDirectories[0] ?? "/");
  const { freeBytes = LEAST_RUNTIME_BYTES } = diskFacts(runtime) ?? {};
  if (io.daemonDirectories.length === 0 || freeBytes >= LEAST_RUNTIME_BYTES) return;
  const message = `The file system of ${runtime} has ${shownBytes(freeBytes)} left for sockets and their files.`;
  yield problem("runtime_full", message, "Make room on it, or set XDG_RUNTIME_DIR to another folder of your own.");
}

function* stateDiskFindings(
  { configuration: { journalRetentionBytes: most }, diskFacts }: Patient,
  directory: string,
  isJournal: boolean,
): Iterable<Finding> {
  const state = nearestExisting(directory);
  const facts = diskFacts(state);
  if (facts === undefined) return;
  const free = shownBytes(facts.freeBytes);
  if (facts.freeBytes < LEAST_BYTES) {
    const message = `The disk of ${state} has ${free} left. Without room the daemon refuses events.`;
    yield problem("disk_full", message, "Make room on it, or choose another folder (--journal).");
  } else if (isJournal && facts.freeBytes < most) {
    const message = `The journal may grow to ${shownBytes(most)}, and its disk has ${free} left.`;
    yield advice("disk_short", message, "Make room on the disk, or lower journal_retention_bytes.");
  } else yield fact("disk", `The disk of ${state} has ${free} left.`);
  if (facts.freeFiles === 0)
    yield problem("no_files", `The file system of ${state} takes no more files.`, "Delete files that you do not need.");
  if (isJournal && NETWORK_TYPES.includes(facts.type)) {
    const message = `The journal's folder ${state} is on a file system of the network, on which it may be damaged.`;
    yield advice("network_disk", message, "Choose a folder on a disk of this machine (--journal).");
  }
}
