// `aaepd journal compact`: the options and the help. The command itself is in journal-compact-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { addJournalOptions, type JournalChoiceOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
Retention frees space inside a journal's file and keeps it for later events. This command writes the file again without the free space. It loses and
changes no event. It refuses to run while a daemon writes to the journal: stop the daemon first.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 a daemon has the journal, or the disk has no room, 2 there is no such journal.

Examples:
  aaepd journal compact
  aaepd journal compact --producer-id planner`;

export function registerJournalCompact(journal: Command, io?: CommandIo): void {
  addJournalOptions(journal.command("compact"))
    .summary("return a journal's free space to the disk")
    .description("Writes a journal again without its free space.")
    .addHelpText("after", HELP)
    .action(async (options: JournalChoiceOptions) => {
      const [{ processIo }, { runJournalCompact }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./journal-compact-run.js"),
      ]);
      await runJournalCompact(options, io ?? processIo());
    });
}
