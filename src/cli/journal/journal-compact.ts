// `aaepd journal compact`: the options and the help. The command itself is in journal-compact-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import { dropLibraryEchoes } from "../shell/library-echoes.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalCompactOptions } from "./journal-compact-run.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
Retention frees space inside a journal's file and keeps it for later events. This command writes the file again without the free space. It loses and
changes no event.

If a daemon has the journal, the command asks the daemon to compact it. Agents and subscribers notice nothing. The daemon finishes the work even if
you interrupt the command. The command finds the daemon by its socket: --socket names one that is not in the usual folder.

For the time of the work the disk needs room for a second copy of the events.
${WHICH_JOURNAL}

Exit codes: 0 done, 1 the journal cannot be compacted, 2 there is no such journal, 69 the daemon at --socket does not answer.

Examples:
  aaepd journal compact
  aaepd journal compact --producer-id planner`;

export function registerJournalCompact(journal: Command, io: CommandIo): void {
  addJournalOptions(journal.command("compact"))
    .option("-s, --socket <path>", "the socket of the daemon that has the journal")
    .summary("return a journal's free space to the disk")
    .description("Writes a journal again without its free space, also beside the daemon that has it.")
    .addHelpText("after", HELP)
    .action(async (options: JournalCompactOptions) => {
      const { runJournalCompact } = await import("./journal-compact-run.js");
      if (io === undefined) dropLibraryEchoes();
      await runJournalCompact(options, io);
    });
}
