// Finds the journal that a command works on, and opens it for reading.

import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultFromNodeError, isMissing } from "../../../transports/node-errors.js";
import { type Fault, usage } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import { resolveConfiguration } from "../../daemon/config/config-sources.js";
import { defaultJournalDirectory, journalOwner } from "../../daemon/journal/journal-folder.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { type JournalReader, openJournalReader } from "../../storage/journal-reader.js";
import { DATA_FILE } from "../../storage/lmdb/data-file.js";
import { JOURNAL_FILES } from "../../storage/lmdb/plain-files.js";
import type { Environment } from "../terminal/command-io.js";
import { type JournalFacts, withMissing } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";

export interface JournalPlace {
  readonly path: string;
  /** The daemon process that writes to the journal now. */
  readonly writerPid: number | undefined;
  /** Disk space of the journal's files. */
  readonly diskBytes: number;
}

export interface ReadJournal {
  readonly place: JournalPlace;
  /** The blocks, with an empty block in the place of each hole within a boot. */
  readonly blocks: JournalReader["blocks"];
  readonly close: () => Promise<void>;
}

/** Throws a Fault "usage" if there is no journal, or several to choose from; "storage_unavailable" or "address_invalid" if it cannot be read. */
export async function readJournal(options: JournalChoiceOptions, environment: Environment): Promise<ReadJournal> {
  const path = journalDirectory(options, environment);
  const writerPid = journalOwner(path);
  const { blocks, close } = await openJournalReader(path, undefined, writerPid !== undefined);
  const place = { path, writerPid, diskBytes: diskBytesOf(path) };
  return { place, blocks: (from) => withMissing(blocks(from)), close };
}

/** Returns the disk space of the journal's own files in a folder, bytes. */
function diskBytesOf(directory: string): number {
  let bytes = 0;
  for (const name of JOURNAL_FILES) {
    try {
      const { blocks, size } = statSync(join(directory, name));
      // The library's files have holes, so blocks are counted; Windows reports no blocks.
      bytes += blocks === 0 ? size : blocks * 512;
    } catch (caught) {
      if (!isMissing(caught)) throw caught;
    }
  }
  return bytes;
}

/**
 * Returns the folder of an existing journal: the one of `serve`, else the only one. With `mayBeNew` it is the one of `serve` in any case. Throws a
 * Fault "usage" if there is none, or several to choose from.
 */
export function journalDirectory(options: JournalChoiceOptions, environment: Environment, mayBeNew = false): string {
  const { journal, producerId, config } = options;
  const { configuration, sources } = resolveConfiguration({
    command: "serve",
    flags: { ...(journal === undefined ? {} : { journal }), ...(producerId === undefined ? {} : { producerId }) },
    configFile: config,
    environment,
  });
  const choice = configuration.journal;
  if (choice.kind === "directory") return existing(choice.path, mayBeNew);
  if (choice.kind === "memory") throw usage("A journal in memory has no folder. Name one with --journal.");
  const directory = defaultJournalDirectory(environment, configuration.producerId);
  const isChosen = sources.journal.kind !== "default" || sources.producerId.kind !== "default";
  // A second daemon, even one whose start failed, must not change which journal a backup is about.
  if (isChosen || mayBeNew || hasJournal(directory)) return existing(directory, mayBeNew);
  return theOnlyOne(environment);
}

function existing(directory: string, mayBeNew: boolean): string {
  if (mayBeNew || hasJournal(directory)) return directory;
  throw usage(`There is no journal in ${directory}. Name the folder of one with --journal.`);
}

/** Whether the data file exists. It may be something other than a file; opening it reports that. */
export function hasJournal(directory: string): boolean {
  try {
    return lstatSync(join(directory, DATA_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function theOnlyOne(environment: Environment): string {
  const root = stateDirectory(environment, "journal");
  const found = namesIn(root)
    .map((name) => join(root, name))
    .filter(hasJournal);
  const [only] = found;
  const sentence = `There is no journal in the folders of ${root}, where aaepd serve keeps it. Name its folder with --journal.`;
  if (only === undefined) throw usage(sentence);
  if (found.length > 1) throw usage(`There are several journals. Choose one with --journal: ${found.join(", ")}`);
  return only;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (caught) {
    if (isMissing(caught)) return [];
    throw faultFromNodeError(caught, directory);
  }
}

/** Makes the fault for an unknown session id: it names the nearest id and the command that lists all. */
export function noSuchSession(sessionId: string, facts: Pick<JournalFacts, "sessions">, path: string): Fault {
  const near = didYouMean(sessionId, [...facts.sessions.keys()]);
  const list = `aaepd journal inspect --all --journal ${path}`;
  const sentence = `There is no session ${JSON.stringify(sessionId.slice(0, 256))} in the journal ${path}. ${near} To list its sessions: ${list}`;
  return usage(sentence.replace("  ", " "));
}
