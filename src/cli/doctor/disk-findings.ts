// The room where journal, audit log and sockets are kept.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import { journalDirectoryOf, nearestExisting } from "./folder-findings.js";
import type { DiskFacts, Patient } from "./patient.js";

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
