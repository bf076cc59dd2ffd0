import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { positiveNumber } from "../shell/option-values.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";
import type { ReplayCommandOptions } from "./replay-run.js";

const HELP = `
The command opens a socket of its own, which clients find like that of any daemon. It plays the session once, from the moment when the first
subscriber is there. The negotiated terms apply: rate, verbosity, languages, boundaries, filters. Ids and texts are those of the recording, and times
are those of the replay.

Nobody is asked anything: subscribers are told each recorded question, and its outcome as it was recorded. The command turns agents away.

When every subscriber has all of the session, the command closes their connections and ends.
${WHICH_JOURNAL}

When the socket listens, the command writes one line of JSON to standard output and nothing more:
  {"pid":4711,"producer_id":"aaepd-replay","session_id":"sess_01","endpoints":{"ipc":"/run/user/1000/aaep/aaepd-replay.sock"}}
SIGTERM, SIGINT or SIGHUP ends the command earlier.

Exit codes: 0 played, or stopped in order, 1 the journal cannot be read, 2 there is no such journal or session, 73 it cannot listen.

Examples:
  aaepd replay --session sess_01
  aaepd replay --session sess_01 --speed 4 --longest-pause 2
  aaepd replay --session sess_01 --socket /run/user/1000/replay.sock
  aaepd tail --socket /run/user/1000/aaep/aaepd-replay.sock --no-reconnect    listen, and end with it`;

export function registerReplay(program: Command, context: CommandContext): void {
  const command = program
    .command("replay")
    .summary("play a recorded session once")
    .description("Plays a session of a journal once, as it was recorded.")
    .requiredOption("-s, --session <ID>", "the session, as aaepd journal inspect lists it")
    .option("--speed <N>", "N times the pace of the recording", positiveNumber(10_000), 1)
    .option("--longest-pause <SECONDS>", "the longest pause between two events", positiveNumber(86_400))
    .option("--socket <PATH|auto>", "where to listen: auto is aaepd-replay.sock in the runtime folder", "auto");
  addJournalOptions(command)
    .addHelpText("after", HELP)
    .action(async (options: ReplayCommandOptions) => (await import("./replay-run.js")).runReplay(options, context));
}
