import type { Command } from "commander";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { jsonText } from "../terminal/json-text.js";
import { readySentences } from "./ready-sentences.js";
import { runDaemonCommand } from "./run-daemon-command.js";

const EXPLANATION = `
When all sockets listen, the daemon says so in two sentences on a terminal. Elsewhere it writes one line of JSON to standard output and nothing more:
  {"pid":4711,"producer_id":"aaepd","endpoints":{"ipc":"/run/user/1000/aaep/aaepd.sock"}}
With --grpc or --http, endpoints lists their addresses. Over TCP, token_file names the file that holds the token.

The daemon refuses to start if another one of the same name runs. Give the second one a name of its own with --producer-id, which also names its
socket.

Log lines go to standard error: sentences on a terminal, JSON elsewhere (--log-format). SIGTERM and SIGINT stop the daemon in order, within
--stop-timeout-seconds.

SIGHUP reloads the configuration file and makes a new token for TCP, or reads --http-token-file again. It stops nothing. Most changes apply at once. The other options say that a
change waits for the next start. The log names every change. An option that the command line or a variable sets keeps its value. If the file has an
error, nothing changes and the log says why. On Windows, closing the console stops the daemon. See docs/configuration.md.

The journal keeps all events on disk, with their full text, for the next start and for aaepd replay. aaepd status shows its folder.
--journal memory writes none of it to disk. Sessions and questions that are open at a stop continue in the next boot. --on-stop end ends them.
See docs/journal.md.

You can also set every option by a variable (--max-hold-ms is AAEPD_MAX_HOLD_MS) or in the configuration file ("max_hold_ms"). An option wins over a
variable. A variable wins over the file.

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
    runDaemonCommand("serve", parsed, context, ({ endpoints, tokenPath }, { producerId, logFormat }) => {
      const { writable, isTerminal } = context.stdio;
      // A program that starts a daemon reads the line of JSON, also with text as the form of its log.
      const lines =
        isTerminal && logFormat !== "json"
          ? readySentences({ producerId, endpoints, tokenPath }, new Date())
          : [jsonText({ pid: process.pid, producer_id: producerId, endpoints, token_file: tokenPath })];
      writable.write(lines.map((line) => `${line}\n`).join(""));
    }),
  );
}
