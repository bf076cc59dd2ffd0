import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalInspectOptions } from "./journal-inspect-run.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
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

export function registerJournalInspect(journal: Command, io: CommandIo): void {
  addJournalOptions(journal.command("inspect"))
    .summary("report the contents of a journal")
    .description("Reports the contents of a journal: events, boots, sessions and damage.")
    .option("-s, --session <ID>", "report only this session")
    .option("--all", "show all sessions, not only the newest 20")
    .option("--json", "print the report as one JSON document")
    .addHelpText("after", HELP)
    .action(async (options: JournalInspectOptions) =>
      (await import("./journal-inspect-run.js")).runJournalInspect(options, io),
    );
}
