import type { Command } from "commander";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { jsonText } from "../terminal/json-text.js";
import { runDaemonCommand } from "./run-daemon-command.js";

const EXPLANATION = `
When everything listens, one line of JSON goes to standard output, and nothing ever after:
  {"pid":4711,"producer_id":"aaepd","endpoints":{"ipc":"/run/user/1000/aaep/aaepd.sock"}}
With --grpc or --http the addresses stand there as lists, and over TCP token_file names the file with the token.
A second daemon of the same name is refused: give it another one by --producer-id, which its socket is named after.
Log lines go to standard error. SIGTERM and SIGINT stop the daemon in order, within --stop-timeout-seconds.

SIGHUP stops nothing: the daemon reads the configuration file again, and makes the token of TCP anew. Changes apply at once, but for the options that
say otherwise; the log names them all. An option that the command line or a variable sets stays so. Where anything in the file is wrong, nothing
changes, and the log says why. On Windows the end of the console stops the daemon. See docs/configuration.md.

The daemon keeps on disk all that agents say, for the next start and for aaepd replay; --journal memory writes nothing of it. aaepd status says where
it is. Sessions and questions that are open when the daemon stops go on in its next run; --on-stop end ends them. See docs/journal.md.

Every option can also be set by a variable (--max-hold-ms is AAEPD_MAX_HOLD_MS) or in the configuration file ("max_hold_ms"). An option wins over a
variable, a variable over the file.

Examples:
  aaepd serve
  aaepd serve --producer-id planner --socket /run/user/1000/planner.sock
  aaepd serve --grpc auto --http 127.0.0.1:8700
  aaepd serve --config ./aaepd.json --log-level debug 2> aaepd.log`;

/** `aaepd serve`: a daemon for all agents of this user. */
export function registerServe(program: Command, context: CommandContext): void {
  const command = program
    .command("serve")
    .summary("run a daemon that agents and assistive technology connect to")
    .description("Runs a daemon that agents and assistive technology connect to over a local socket.")
    .addHelpText("after", EXPLANATION);
  addConfigurationOptions(command, "serve");
  command.action((parsed: Readonly<Record<string, unknown>>) =>
    runDaemonCommand("serve", parsed, context, (running, { producerId }) => {
      const { endpoints, tokenPath } = running;
      const line = jsonText({ pid: process.pid, producer_id: producerId, endpoints, token_file: tokenPath });
      context.stdio.writable.write(`${line}\n`);
    }),
  );
}
