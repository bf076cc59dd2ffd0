// `aaepd journal inspect`: the options and the help. What it does is in journal-inspect-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalInspectOptions } from "./journal-inspect-run.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
Tells where the journal stands, the version of its layout and who writes to it, how many events it has and what they take, the runs of daemons that wrote
them, its sessions, and what is damaged. A daemon may write to it meanwhile. Times are those at which the daemon received events.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 something is damaged, 2 there is no such journal or session.

Examples:
  aaepd journal inspect
  aaepd journal inspect --session sess_01
  aaepd journal inspect --journal /var/tmp/copy --json
  aaepd journal inspect --json | jq -r '.sessions[] | select(.state == "errored") | .session_id'`;

export function registerJournalInspect(journal: Command, io?: CommandIo): void {
  addJournalOptions(journal.command("inspect"))
    .summary("tell what stands in a journal")
    .description("Tells what stands in a journal: events, runs, sessions, and what is damaged.")
    .option("-s, --session <ID>", "tell of this session alone")
    .option("--all", "show all sessions; else the newest 20")
    .option("--json", "tell everything as one JSON document")
    .addHelpText("after", HELP)
    .action(async (options: JournalInspectOptions) => {
      const [{ processIo }, { runJournalInspect }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./journal-inspect-run.js"),
      ]);
      await runJournalInspect(options, io ?? processIo());
    });
}
