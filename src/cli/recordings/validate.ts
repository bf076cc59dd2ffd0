// `aaepd validate`: the options and the help. What it does is in validate-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { ValidateOptions } from "./validate-run.js";

const HELP = `
FILE holds one event as JSON on each line; - reads standard input. Each event is checked by its schema, and the order of all of them by the rules of
sessions: what the daemon would refuse is told with its line, the place in the event, what is wrong and the rule. Answers to questions are not events:
a confirmation in the file counts as given. Instants are compared for each agent by itself, and only those of events that it made: what a daemon made in
its name (extensions.aaepd.by: "daemon") or merged has the daemon's time, which may be later than that of the agent's next event. Lines of the daemon
that publish leaves out have no part in the order.

The rule in brackets, as (invalid_event, AAEP §3.2.3) or R3b, is explained in docs/rules.md.

Exit codes: 0 nothing is wrong, 1 something is, 2 the file cannot be read.

Examples:
  aaepd validate session.ndjson
  aaepd validate session.ndjson --as-published    members that the daemon fills in may be missing
  my-agent | aaepd validate -
  aaepd validate session.ndjson --json            one JSON object for each violation`;

/** `io` is for tests; by default the process's own. */
export function registerValidate(program: Command, io?: CommandIo): void {
  program
    .command("validate")
    .summary("check recorded events, and tell everything that is wrong")
    .description("Checks events, one JSON text a line, and tells every violation. Needs no daemon.")
    .argument("<file>", "the events; - is standard input")
    .option(
      "--as-published",
      "allow what the daemon fills in to be missing: @context, event_id, timestamp, producer, urgency, position",
    )
    .option("--json", "tell each violation as JSON")
    .addHelpText("after", HELP)
    .action(async (file: string, options: ValidateOptions) => {
      const [{ processIo }, { runValidate }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./validate-run.js"),
      ]);
      await runValidate(file, options, io ?? processIo());
    });
}
