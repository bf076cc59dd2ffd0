// `aaepd journal compact`: the options and the help. What it does is in journal-compact-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { addJournalOptions, type JournalChoiceOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
A journal's file keeps the space that retention frees, for events to come; this writes it anew without. No event is lost, and none is changed. It is refused
while a daemon writes to the journal: stop that one first.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 a daemon has the journal, or the disk has no room, 2 there is no such journal.

Examples:
  aaepd journal compact
  aaepd journal compact --producer-id planner`;

export function registerJournalCompact(journal: Command, io?: CommandIo): void {
  addJournalOptions(journal.command("compact"))
    .summary("give the free space of a journal back to the disk")
    .description("Writes a journal anew without the space that is free in it.")
    .addHelpText("after", HELP)
    .action(async (options: JournalChoiceOptions) => {
      const [{ processIo }, { runJournalCompact }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./journal-compact-run.js"),
      ]);
      await runJournalCompact(options, io ?? processIo());
    });
}
