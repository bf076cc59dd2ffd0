// Options shared by all commands that read a journal.
import type { Command } from "commander";

/** The options that choose a journal. */
export interface JournalChoiceOptions {
  readonly journal?: string;
  readonly producerId?: string;
  readonly config?: string;
}

/** The paragraph of the help that explains the choice of the journal. */
export const WHICH_JOURNAL = `
Without --journal the command takes the journal that the variable AAEPD_JOURNAL or the configuration file names, as serve would. Otherwise it takes
the journal of the usual name, aaepd. If there is none, it takes the only journal of this user. If there are several, choose one. auto is the folder of
--producer-id.`;

export function addJournalOptions(command: Command): Command {
  return command
    .option("-j, --journal <DIR|auto>", "the journal's folder, or auto for the one of --producer-id")
    .option("--producer-id <ID>", "the id of the journal's daemon, as for serve")
    .option("--config <FILE>", "the configuration file, as for serve");
}
