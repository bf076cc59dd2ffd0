import type { Command } from "commander";
import { wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { StatusOptions } from "./status-run.js";

const HELP = `
The report begins with problems and their remedies. Sessions, subscriptions with their terms, open questions, rates, the journal and memory follow.
The only texts of agents in the report are their questions.

Without --socket the report is about the daemon that AAEPD_SOCKET names. Without that variable it covers every daemon of this user, each under a
heading.

With --watch the report is repeated every two seconds, or every SECONDS. A terminal shows it in place. On a pipe, with TERM=dumb or with NO_COLOR,
reports follow one another with an empty line between. Ctrl-C ends the command.

With --json each daemon is one line of JSON. docs/status.md explains its members.

Exit codes: 0 done (also if --watch is interrupted), 69 no daemon.

Examples:
  aaepd status
  aaepd status --watch
  aaepd status --watch 10 >> status.txt
  aaepd status --json | jq -r '.problems[].message'
  aaepd status --json | jq '.subscriptions[] | select(.reads == "journal")'`;

export function registerStatus(program: Command, io: CommandIo): void {
  program
    .command("status")
    .summary("report problems, sessions and subscriptions of the daemons")
    .description(
      "Reports the state of daemons: problems, subscriptions and their terms, sessions, questions, resources.",
    )
    .option("-s, --socket <path>", "report only the daemon at this socket")
    .option("--json", "print the report as JSON, one line for each daemon")
    .option("-w, --watch [seconds]", "repeat the report, every 2 seconds by default", wholeNumber(1, 3600))
    .addHelpText("after", HELP)
    .action(async (options: StatusOptions) => (await import("./status-run.js")).runStatus(options, io));
}
