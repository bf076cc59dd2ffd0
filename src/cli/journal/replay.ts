// `aaepd replay`: the options and the help. What it does is in replay-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { positiveNumber } from "../shell/option-values.js";
import { addJournalOptions, WHICH_JOURNAL } from "./journal-options.js";
import type { ReplayCommandOptions } from "./replay-run.js";

const HELP = `
Offers a socket of its own, which clients find like that of any daemon, and plays the session to each who subscribes there, from its beginning. What was
negotiated applies: rate, verbosity, languages, boundaries, filters. Ids, instants and texts are those of the recording. Questions are put to those that can
answer, but nothing is asked for real: what was decided then follows, whatever is replied. Agents are turned away.

When the session is over, the listener's connection is closed; one that comes back goes on where it was.
${WHICH_JOURNAL}

When it listens, one line of JSON goes to standard output, and nothing ever after:
  {"pid":4711,"producer_id":"aaepd-replay","session_id":"sess_01","endpoints":{"ipc":"/run/user/1000/aaep/aaepd-replay.sock"}}
It ends by SIGTERM, SIGINT or SIGHUP; with --once after the first listener.

Exit codes: 0 stopped in order, 1 the journal cannot be read, 2 there is no such journal or session, 73 it cannot listen.

Examples:
  aaepd replay --session sess_01
  aaepd replay --session sess_01 --speed 4 --longest-pause 2
  aaepd replay --session sess_01 --socket /run/user/1000/replay.sock --once
  aaepd tail --socket /run/user/1000/aaep/aaepd-replay.sock --no-reconnect    to listen; ends with it`;

export function registerReplay(program: Command, context: CommandContext): void {
  const command = program
    .command("replay")
    .summary("play a recorded session to those who subscribe")
    .description("Plays a session out of a journal to everyone who subscribes, as it was when it was recorded.")
    .requiredOption("-s, --session <ID>", "the session; aaepd journal inspect lists them")
    .option("--speed <N>", "N times the pace of the recording", positiveNumber(10_000), 1)
    .option("--longest-pause <SECONDS>", "no pause between two events is longer", positiveNumber(86_400))
    .option("--once", "end after the first listener")
    .option("--socket <PATH|auto>", "where to listen; auto is aaepd-replay.sock in the runtime folder", "auto");
  addJournalOptions(command)
    .addHelpText("after", HELP)
    .action(async (options: ReplayCommandOptions) => {
      const { runReplay } = await import("./replay-run.js");
      await runReplay(options, context);
    });
}
