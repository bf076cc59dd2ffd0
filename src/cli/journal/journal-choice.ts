// The journal that a command works on: the folder that serve would take with the same options, or without a choice that of the daemon's usual name,
// or the only existing one.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";
import { usage } from "../../base/errors.js";
import { resolveConfiguration } from "../../daemon/config/config-sources.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { DATA_FILE } from "../../storage/lmdb/data-file.js";
import type { JournalChoiceOptions } from "./journal-options.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder of an existing journal; with `mayBeNew` also one that `serve` would make. Throws a Fault "usage" if there is none, or several to
 * choose from.
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
  if (isChosen || hasJournal(directory)) return existing(directory, mayBeNew);
  return theOnlyOne(environment, mayBeNew ? directory : undefined);
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

function theOnlyOne(environment: Environment, fallback: string | undefined): string {
  const root = stateDirectory(environment, "journal");
  const found = namesIn(root)
    .map((name) => join(root, name))
    .filter(hasJournal);
  const [only = fallback] = found;
  if (only === undefined) {
    throw usage(
      `There is no journal in the folders of ${root}, where aaepd serve keeps it. Name its folder with --journal.`,
    );
  }
  if (found.length > 1) throw usage(`There are several journals. Choose one with --journal: ${found.join(", ")}`);
  return only;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (caught) {
    if (isMissing(caught)) return [];
    throw caught;
  }
}
