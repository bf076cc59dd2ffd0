// Options that all commands have which read a journal.
import type { Command } from "commander";

/** What of the command line says which journal is meant. */
export interface JournalChoiceOptions {
  readonly journal?: string;
  readonly producerId?: string;
  readonly config?: string;
}

/** The paragraph of their help that says which journal is taken. */
export const WHICH_JOURNAL = `
Without --journal the only journal of this user is taken; where there are several, choose one. auto is where --producer-id puts it. A journal that the
variable AAEPD_JOURNAL or the configuration file names is taken as serve would take it.`;

export function addJournalOptions(command: Command): Command {
  return command
    .option("-j, --journal <DIR|auto>", "the journal's folder; auto is where --producer-id puts it")
    .option("--producer-id <ID>", "the id of the daemon whose journal it is, as for serve")
    .option("--config <FILE>", "the configuration file, as for serve");
}
