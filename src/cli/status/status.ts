// `aaepd status`: the options and the help. What it does is in status-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import { wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { StatusOptions } from "./status-run.js";

const HELP = `
Tells what is wrong first, and what helps; then sessions, subscriptions with the terms they were granted, open questions, rates, the journal and memory.
Without --socket the daemon that AAEPD_SOCKET names is told of, else every daemon of this user, each under its heading. Of texts it shows only what questions ask.

With --watch it tells anew every two seconds, or as often as is said: in the same place on a terminal, one after the other with an empty line between elsewhere, and
where TERM is dumb or NO_COLOR is set. Ctrl-C ends it.
With --json each daemon is one line of JSON, as docs/status.md explains.

Exit codes: 0 told (also where --watch is interrupted), 69 no daemon.

Examples:
  aaepd status
  aaepd status --watch
  aaepd status --watch 10 >> status.txt
  aaepd status --json | jq -r '.problems[].message'
  aaepd status --json | jq '.subscriptions[] | select(.reads == "journal")'`;

/** `io` is for tests; by default the process's own. */
export function registerStatus(program: Command, io?: CommandIo): void {
  program
    .command("status")
    .summary("tell how the daemons of this user stand, and what is wrong")
    .description("Tells how daemons stand: what is wrong, who listens on which terms, what is open, what it takes.")
    .option("-s, --socket <path>", "tell only of the daemon at this socket")
    .option("--json", "tell everything as JSON, one line for each daemon")
    .option("-w, --watch [seconds]", "tell it anew, every 2 seconds if nothing is said", wholeNumber(1, 3600))
    .addHelpText("after", HELP)
    .action(async (options: StatusOptions) => {
      const [{ processIo }, { runStatus }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./status-run.js"),
      ]);
      await runStatus(options, io ?? processIo());
    });
}
