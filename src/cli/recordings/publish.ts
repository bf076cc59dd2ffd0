// `aaepd publish`: the options and the help. What it does is in publish-run.ts, which is loaded only when it runs.
import { type Command, Option } from "commander";
import { positiveNumber, wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { PublishOptions } from "./publish-run.js";

const HELP = `
FILE holds one event as JSON on each line; - reads standard input. Instants become those of now, and sessions, events and questions get new ids, so that
a recording can be published again and again. Lines that the daemon made which was recorded from are left out, except for what the agent's own rely on.
Without --socket the daemon that AAEPD_SOCKET names is taken, else the only one of this user.

Every event is acknowledged by the daemon. One that is refused is told with its line, and the exit code is then 1.

Examples:
  aaepd publish session.ndjson                    as fast as the daemon takes it
  aaepd publish session.ndjson --realtime         at the pace of the recording
  aaepd publish session.ndjson --speed 4          four times as fast
  aaepd publish session.ndjson --rate 20          20 events a second
  my-agent | aaepd publish - --keep-ids           what a program prints
  aaepd publish session.ndjson --stop-on-error    nothing after the first refusal`;

/** `io` is for tests; by default the process's own. */
export function registerPublish(program: Command, io?: CommandIo): void {
  program
    .command("publish")
    .summary("publish events from a file or from standard input")
    .description("Publishes events, one JSON text a line, and waits until the daemon has acknowledged them.")
    .argument("<file>", "the events; - is standard input")
    .option("-s, --socket <path>", "the daemon's socket")
    .addOption(new Option("--framing <name>", "how messages are cut").choices(["length-prefixed", "newline"]))
    .option("--producer-id <id>", "who publishes the events that do not say it themselves")
    .addOption(
      new Option("-r, --rate <n>", "n events a second")
        .argParser(positiveNumber(1_000_000))
        .conflicts(["realtime", "speed"]),
    )
    .option("--realtime", "at the pace of the recording, by its timestamps")
    .option("--speed <n>", "n times the pace of the recording", positiveNumber(10_000))
    .option("--keep-ids", "leave the ids of sessions, events and questions as they are")
    .option("--stop-on-error", "publish nothing after an event that was refused")
    .option("--in-flight <n>", "events that may be without an answer", wholeNumber(1, 4096), 64)
    .option("--json", "tell refusals, and at the end what was published, as JSON")
    .addHelpText("after", HELP)
    .action(async (file: string, options: PublishOptions) => {
      const [{ processIo }, { runPublish }] = await Promise.all([
        import("../terminal/command-io.js"),
        import("./publish-run.js"),
      ]);
      await runPublish(file, options, io ?? processIo());
    });
}
