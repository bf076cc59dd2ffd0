// `aaepd journal`: a command for each thing that can be done with a journal on disk.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { registerJournalCompact } from "./journal-compact.js";
import { registerJournalExport } from "./journal-export.js";
import { registerJournalInspect } from "./journal-inspect.js";

const HELP = `
The journal is where a daemon keeps events, open sessions and questions for its next start. Where it stands, and what its options mean, is in
docs/journal.md. To hear a session of it again: aaepd replay.

Examples:
  aaepd journal inspect
  aaepd journal export --session sess_01 > session.ndjson
  aaepd journal compact
  aaepd journal export --help        all options of one of them`;

/** `io` is for tests; by default the process's own. */
export function registerJournal(program: Command, io?: CommandIo): void {
  const command = program
    .command("journal")
    .summary("look into a journal, export its events, give its free space back")
    .description("Looks into a journal on disk, exports its events, gives its free space back to the disk.")
    .helpCommand(false)
    .addHelpText("after", HELP);
  registerJournalInspect(command, io);
  registerJournalExport(command, io);
  registerJournalCompact(command, io);
}
