import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { addJournalOptions, type JournalChoiceOptions, WHICH_JOURNAL } from "./journal-options.js";

const COMPACT_HELP = `
Retention frees space inside a journal's file and keeps it for later events. This command writes the file again without the free space. It loses and
changes no event.

No daemon may have the journal. A daemon compacts its journal itself when it starts, where more than half of the file is free.

For the time of the work the disk needs room for a second copy of the events.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 the journal cannot be compacted, 2 there is no such journal.

Examples:
  aaepd journal compact
  aaepd journal compact --producer-id planner`;

const BACKUP_HELP = `
A daemon may go on writing to the journal: the backup has what was written at one instant, events, open sessions and questions. FOLDER is made, for
you alone. An earlier backup of the same journal in it is replaced when the new one is whole. Any other journal in it is refused.

A backup is a journal: inspect, export and replay read it by --journal FOLDER.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 the journal cannot be copied, 2 there is no such journal.

Examples:
  aaepd journal backup ~/aaepd-backup
  aaepd journal inspect --journal ~/aaepd-backup
  aaepd journal backup ~/planner-backup --producer-id planner`;

const RESTORE_HELP = `
Stop the daemon of the journal first. The journal that is there is kept beside the restored one, under a name with the date.

Sessions that were open at the backup are open again, and end if their agents do not come. Listeners whose place is from after the backup are told of
a gap, and get every event from the restore on.
${WHICH_JOURNAL} Where there is none at all, the command makes the one of the usual name.

Exit codes: 0 done, 1 the backup is damaged, or a daemon has the journal, 2 wrong usage.

Examples:
  systemctl --user stop aaepd.socket aaepd.service
  aaepd journal restore ~/aaepd-backup`;

export function registerJournalCopies(journal: Command, io: CommandIo): void {
  const run = () => import("./journal-copy-run.js");
  addJournalOptions(journal.command("compact"))
    .summary("return a journal's free space to the disk")
    .description("Writes the journal of a stopped daemon again without its free space.")
    .addHelpText("after", COMPACT_HELP)
    .action(async (options: JournalChoiceOptions) => (await run()).runJournalCompact(options, io));
  addJournalOptions(journal.command("backup"))
    .summary("copy a journal, also of a running daemon")
    .description("Copies a journal into a folder of its own, also while a daemon writes to it.")
    .argument("<folder>", "where the backup goes")
    .addHelpText("after", BACKUP_HELP)
    .action(async (folder: string, options: JournalChoiceOptions) =>
      (await run()).runJournalBackup(folder, options, io),
    );
  addJournalOptions(journal.command("restore"))
    .summary("put a backup in the place of a journal")
    .description("Puts a backup in the place of a stopped daemon's journal, which is kept.")
    .argument("<folder>", "the backup")
    .addHelpText("after", RESTORE_HELP)
    .action(async (folder: string, options: JournalChoiceOptions) =>
      (await run()).runJournalRestore(folder, options, io),
    );
}
