// `aaepd journal export`: the options and the help. What it does is in journal-export-run.ts, which is loaded only when it runs.
import { type Command, Option } from "commander";
import { instant, textList } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { JournalExportOptions } from "./journal-export-run.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";

const HELP = `
Events go to standard output, one a line, in their order: the JSON text of each as it was journaled, byte for byte, but for control characters and marks of
direction, which are written as in \\u009b: a terminal would obey them. publish, validate and tail --json have the same form. A daemon may write to the
journal meanwhile. What is damaged is left out, and told on standard error.
${WHICH_JOURNAL}

An instant is that of the daemon's receipt: 2026-11-22, which is midnight UTC, or 2026-11-22T10:30:00Z.

Exit codes: 0 done, 1 something is damaged, 2 there is no such journal or session, or --until is not after --since.

Examples:
  aaepd journal export > everything.ndjson
  aaepd journal export --session sess_01 --session sess_02
  aaepd journal export --since 2026-11-22T09:00:00Z --until 2026-11-22T10:00:00Z
  aaepd journal export --session sess_01 --agent-events-only | aaepd publish - --realtime
  aaepd journal export --with-epochs | jq -c '[.epoch, .received, .event.type]'`;

export function registerJournalExport(journal: Command, io?: CommandIo): void {
  addJournalOptions(journal.command("export"))
    .summary("write the events of a journal, one a line")
    .description("Writes the events of a journal to standard output, one JSON text a line.")
    .option("-s, --session <ID>", "only this session; may be given several times", textList)
    .option("--since <TIME>", "only what was received at this instant or later", instant)
    .option("--until <TIME>", "only what was received before this instant", instant)
    .option("--agent-events-only", "leave out what the daemon made, except for what the agents' own events rely on")
    .addOption(
      new Option("--with-epochs", 'print {"epoch": …, "received": …, "event": …}').conflicts("agentEventsOnly"),
    )
    .addHelpText("after", HELP)
    .action(async (options: JournalExportOptions) => {
      const [{ processIo }, { runJournalExport }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./journal-export-run.js"),
      ]);
      await runJournalExport(options, io ?? processIo());
    });
}
