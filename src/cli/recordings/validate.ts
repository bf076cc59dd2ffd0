import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { ValidateOptions } from "./validate-run.js";

const HELP = `
FILE holds one event as JSON on each line. - reads standard input. The command checks each event against its schema, and the order of all events
against the rules of sessions. For each event that a daemon would refuse it prints the line, the place in the event, the fault and the rule.
A recording may be of a whole conversation: messages of the handshake and replies are checked between the events, in their forms and their order.
docs/reference/errors.md explains each code in brackets, such as invalid_event, and docs/reference/rules.md each rule, such as AAEP §3.2.3 or R3b.
--verbose prints where they are in the installed package. With --json, each violation has these addresses as help.

The order of a file is checked with these exceptions:
  - A confirmation in the file counts as accepted: answers are not events.
  - Timestamps are compared for each agent separately.
  - Timestamps of events that a daemon made (extensions.aaepd.by: "daemon") or
    merged are not compared: they may be later than the agent's next event.
  - Lines of the daemon that publish leaves out do not count.

Exit codes: 0 no violation, 1 violations, 2 the file cannot be read.

Examples:
  aaepd validate session.ndjson
  aaepd validate session.ndjson --as-published    members that the daemon fills in may be missing
  my-agent | aaepd validate -
  aaepd validate session.ndjson --json            one JSON object for each violation`;

export function registerValidate(program: Command, io: CommandIo): void {
  program
    .command("validate")
    .summary("check recorded events and list every violation")
    .description("Checks events, one JSON text a line, and lists every violation. Needs no daemon.")
    .argument("<file>", "the events, or - for standard input")
    .option(
      "--as-published",
      "allow members to be missing that the daemon fills in: @context, event_id, timestamp, producer, urgency, position",
    )
    .option("--json", "print each violation as JSON")
    .option("--verbose", "print where the documentation explains each code and rule")
    .addHelpText("after", HELP)
    .action(async (file: string, options: ValidateOptions) =>
      (await import("./validate-run.js")).runValidate(file, options, io),
    );
}
