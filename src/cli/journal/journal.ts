// `aaepd journal`: a subcommand for each operation on a journal on disk.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { registerJournalCopies } from "./journal-copy.js";
import { registerJournalExport } from "./journal-export.js";
import { registerJournalInspect } from "./journal-inspect.js";

const HELP = `
A journal is the folder in which a daemon keeps events, open sessions and questions for its next start. docs/journal.md explains its place and its
options. To hear a session of a journal again, use aaepd replay.

Examples:
  aaepd journal inspect
  aaepd journal export --session sess_01 > session.ndjson
  aaepd journal backup ~/aaepd-backup
  aaepd journal export --help        show all options of a command`;

export function registerJournal(program: Command, io: CommandIo): void {
  const command = program
    .command("journal")
    .summary("inspect, export, back up or compact a journal")
    .description(
      "Inspects a journal on disk, exports its events, backs it up, restores it, or returns its free space to the disk.",
    )
    .helpCommand(false)
    .addHelpText("after", HELP);
  registerJournalInspect(command, io);
  registerJournalExport(command, io);
  registerJournalCopies(command, io);
}
