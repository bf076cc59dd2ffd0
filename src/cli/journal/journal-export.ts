import { type Command, Option } from "commander";
import { instant, textList } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalExportOptions } from "./journal-export-run.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
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

export function registerJournalExport(journal: Command, io: CommandIo): void {
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
    .addHelpText("after", HELP)
    .action(async (options: JournalExportOptions) =>
      (await import("./journal-export-run.js")).runJournalExport(options, io),
    );
}
