import { type Command, Option } from "commander";
import { positiveNumber, wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { PublishOptions } from "./publish-run.js";

const HELP = `
FILE holds one event as JSON on each line. - reads standard input. The command publishes to the daemon that --socket names, or AAEPD_SOCKET, or the
only daemon of this user.

To make a recording publishable again and again, the command changes it:
  - each timestamp becomes the present time,
  - sessions, events and questions get new ids,
  - lines that a daemon made are left out, except those that agents' lines need.

The daemon acknowledges every event. If it refuses one, the command prints the refusal with its line and ends with 1.
--verbose also prints where the installed package explains the code and the rule. With --json, each refusal has these addresses as help.

Examples:
  aaepd publish session.ndjson                    as fast as the daemon takes it
  aaepd publish session.ndjson --realtime         at the pace of the recording
  aaepd publish session.ndjson --speed 4          four times as fast
  aaepd publish session.ndjson --rate 20          20 events a second
  my-agent | aaepd publish - --keep-ids           the output of a program
  aaepd publish session.ndjson --stop-on-error    nothing after the first refusal`;

export function registerPublish(program: Command, io: CommandIo): void {
  program
    .command("publish")
    .summary("publish events from a file or from standard input")
    .description("Publishes events, one JSON text a line, and waits for the daemon to acknowledge them.")
    .argument("<file>", "the events, or - for standard input")
    .option("-s, --socket <path>", "the daemon's socket")
    .addOption(new Option("--framing <name>", "how messages are cut").choices(["length-prefixed", "newline"]))
    .option("--producer-id <id>", "the producer of events that name none")
    .addOption(
      new Option("-r, --rate <n>", "n events a second")
        .argParser(positiveNumber(1_000_000))
        .conflicts(["realtime", "speed"]),
    )
    .option("--realtime", "at the pace of the recording, by its timestamps")
    .option("--speed <n>", "n times the pace of the recording", positiveNumber(10_000))
    .option("--keep-ids", "keep the ids of sessions, events and questions")
    .option("--stop-on-error", "publish nothing after a refused event")
    .option("--in-flight <n>", "unanswered events at a time", wholeNumber(1, 4096), 64)
    .option("--json", "print refusals and the final result as JSON")
    .option("--verbose", "print where the documentation explains each refusal")
    .addHelpText("after", HELP)
    .action(async (file: string, options: PublishOptions) =>
      (await import("./publish-run.js")).runPublish(file, options, io),
    );
}
