// `aaepd tail`: the options and the help. What it does is in tail-run.ts, which is loaded only when it runs.
import { type Command, Option } from "commander";
import { addCapabilityOptions } from "../shell/capability-options.js";
import { wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { TailOptions } from "./tail-run.js";

const HELP = `
Without --socket the daemon that AAEPD_SOCKET names is followed, else every daemon of this user, each line beginning with its name, and those that start
later as well.
Events go to standard output, one a line; what happens to the connection, and with --interactive the questions, goes to standard error.

With --interactive one question is asked at a time, in plain lines, and other lines wait meanwhile. Type accept or reject, or what its last line asks for. An empty
line answers nothing. r repeats, d tells details, t tells the time left, s leaves it for later, l lists what is open. When a question has ended without your answer, press Enter
before you answer the next: the first line after it is not sent, as it may have been begun for it. Nor is an answer in the first second after a question began,
which nobody can have heard yet: type it again. Answers may also be piped in, one a line, and are taken at once.

A recording that is to be published again begins before its session: start tail first.

Where no socket is named it waits for daemons, those that start later included. A daemon that is named must be there when it begins, else it ends with 69; later it
waits for it to come back, unless --no-reconnect is given.

Examples:
  aaepd tail                                    everything, from every daemon
  aaepd tail --rate 3 --verbosity terse         as a screen reader would hear it
  aaepd tail --rate 1 --max-chars 80            as a braille display would show it
  aaepd tail --boundaries none                  each token as it comes
  aaepd tail --include 'aaep:agent.session.*'   only beginnings and ends, and what is critical
  aaepd tail --languages yo,en                  in Yoruba where there is any, else in English
  aaepd tail --interactive                      answers what agents ask; h explains how
  aaepd tail --json -b none --verbosity detailed --confirmations --clarifications > session.ndjson   a recording, for aaepd publish
  aaepd tail --json | jq -r .type               events as JSON, for other programs`;

/** `io` is for tests; by default the process's own. */
export function registerTail(program: Command, io?: CommandIo): void {
  const command = program
    .command("tail")
    .summary("show events as a subscriber receives them, live")
    .description("Subscribes, and shows what is received. Reconnects by itself, and goes on where it was.")
    .option("-s, --socket <path>", "follow only the daemon at this socket")
    .addOption(new Option("--framing <name>", "how messages are cut").choices(["length-prefixed", "newline"]))
    .option("--json", "print each event as JSON, as it was received")
    .option("--label", 'with --json: print {"daemon": …, "event": …}')
    .option("--no-time", "leave out the time of day, with which lines begin")
    .option("-q, --quiet", "say nothing of connections")
    .option("-n, --count <n>", "end after n events", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option("--resume-after <cursor>", "begin after the place that this cursor names, whatever the cursor file says")
    .option("--cursor-file <path>", "keep the cursor in this file, and begin after its place the next time")
    .option("-i, --interactive", "answer questions: they are asked here, and answered by a line each")
    .option("--no-reconnect", "end when the connection ends")
    .option("--subscriber-id <id>", "who subscribes: a name for logs and status")
    .option("--subscriber-name <name>", "the name for people", "aaepd tail");
  addCapabilityOptions(command);
  command.addHelpText("after", HELP).action(async (options: TailOptions) => {
    const [{ processIo }, { runTail }] = await Promise.all([
      import("../terminal/command-io.js"),
      import("./tail-run.js"),
    ]);
    await runTail(options, io ?? processIo());
  });
}
