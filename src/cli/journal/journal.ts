// `aaepd journal`: a subcommand for each operation on a journal on disk.
import { type Command, Option } from "commander";
import { instant, textList } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalExportOptions } from "./journal-export-run.js";
import type { JournalInspectOptions } from "./journal-inspect-run.js";
import { addJournalOptions, type JournalChoiceOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
A journal is the folder in which a daemon keeps events, open sessions and questions for its next start. docs/journal.md explains its place and its
options. To hear a session of a journal again, use aaepd replay.

Examples:
  aaepd journal inspect
  aaepd journal export --session sess_01 > session.ndjson
  aaepd journal backup ~/aaepd-backup
  aaepd journal export --help        show all options of a command`;

const INSPECT_HELP = `
The report has these parts:
  - the journal's folder, the version of its layout and its writer,
  - the number of its events and their size,
  - the boots of the daemons that wrote them,
  - its sessions,
  - its damage.
A daemon may write to the journal meanwhile. Each time is the time at which a daemon received an event.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 the journal is damaged, 2 there is no such journal or session.

Examples:
  aaepd journal inspect
  aaepd journal inspect --session sess_01
  aaepd journal inspect --journal /var/tmp/copy --json
  aaepd journal inspect --json | jq -r '.sessions[] | select(.state == "errored") | .session_id'`;

const EXPORT_HELP = `
The command writes the events in their order, one a line, byte for byte as they were journaled. Control characters and marks of direction are the only
exception: they are written as in \\u009b, because a terminal would obey them. publish, validate and tail --json have the same form.

A daemon may write to the journal meanwhile. Damaged records are left out and reported on standard error.
${WHICH_JOURNAL}

TIME is when the daemon received an event: 2026-11-22T10:30:00Z, or 2026-11-22 for midnight UTC.

Exit codes: 0 done, 1 the journal is damaged, 2 there is no such journal or session, or --until is not after --since.

Examples:
  aaepd journal export > everything.ndjson
  aaepd journal export --session sess_01 --session sess_02
  aaepd journal export --since 2026-11-22T09:00:00Z --until 2026-11-22T10:00:00Z
  aaepd journal export --session sess_01 --agent-events-only | aaepd publish - --realtime
  aaepd journal export --with-epochs | jq -c '[.epoch, .received, .event.type]'`;

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

export function registerJournal(program: Command, io: CommandIo): void {
  const command = program
    .command("journal")
    .summary("inspect, export, back up or compact a journal")
    .description(
      "Inspects a journal on disk, exports its events, backs it up, restores it, or returns its free space to the disk.",
    )
    .helpCommand(false)
    .addHelpText("after", HELP);
  registerInspect(command, io);
  registerExport(command, io);
  registerCopies(command, io);
}

function registerInspect(journal: Command, io: CommandIo): void {
  addJournalOptions(journal.command("inspect"))
    .summary("report the contents of a journal")
    .description("Reports the contents of a journal: events, boots, sessions and damage.")
    .option("-s, --session <ID>", "report only this session")
    .option("--all", "show all sessions, not only the newest 20")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", INSPECT_HELP)
    .action(async (options: JournalInspectOptions) =>
      (await import("./journal-inspect-run.js")).runJournalInspect(options, io),
    );
}

function registerExport(journal: Command, io: CommandIo): void {
  addJournalOptions(journal.command("export"))
    .summary("write the events of a journal, one a line")
    .description("Writes the events of a journal to standard output, one JSON text a line.")
    .option("-s, --session <ID>", "only this session (may be repeated)", textList)
    .option("--since <TIME>", "only events received at this time or later", instant)
    .option("--until <TIME>", "only events received before this time", instant)
    .option("--agent-events-only", "leave out events of the daemon, except those that agents' events need")
    .addOption(
      new Option("--with-epochs", 'print {"epoch": …, "received": …, "event": …}').conflicts("agentEventsOnly"),
    )
    .addHelpText("after", EXPORT_HELP)
    .action(async (options: JournalExportOptions) =>
      (await import("./journal-export-run.js")).runJournalExport(options, io),
    );
}

function registerCopies(journal: Command, io: CommandIo): void {
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
