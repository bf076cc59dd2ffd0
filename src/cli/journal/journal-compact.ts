// `aaepd journal compact`: the options and the help. The command itself is in journal-compact-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import { dropLibraryEchoes } from "../shell/library-echoes.js";
import type { CommandIo } from "../terminal/command-io.js";
import { addJournalOptions, type JournalChoiceOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
Retention frees space inside a journal's file and keeps it for later events. This command writes the file again without the free space. It loses and
changes no event.

No daemon may have the journal. A daemon compacts its journal itself when it starts, where more than half of the file is free.

For the time of the work the disk needs room for a second copy of the events.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 the journal cannot be compacted, 2 there is no such journal.

Examples:
  aaepd journal compact
  aaepd journal compact --producer-id planner`;

export function registerJournalCompact(journal: Command, io: CommandIo): void {
  addJournalOptions(journal.command("compact"))
    .summary("return a journal's free space to the disk")
    .description("Writes the journal of a stopped daemon again without its free space.")
    .addHelpText("after", HELP)
    .action(async (options: JournalChoiceOptions) => {
      const { runJournalCompact } = await import("./journal-compact-run.js");
      if (io === undefined) dropLibraryEchoes();
      await runJournalCompact(options, io);
    });
}
