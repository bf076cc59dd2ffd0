import type { Command } from "commander";
import { WAY_NAMES, WAYS } from "../../../transports/ways.js";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { timeOfDay } from "../terminal/amounts.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
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

interface Ready {
  readonly producerId: string;
  /** Addresses by way. */
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly tokenPath: string | undefined;
}

/** Tells a person at a terminal that the daemon listens, and what can be done with it, one sentence a line. */
export function readySentences({ producerId, endpoints, tokenPath }: Ready, now: Date): readonly string[] {
  const addresses = WAY_NAMES.flatMap((name) =>
    [endpoints[name] ?? []].flat().map((address) => `${WAYS[name].label} at ${address}`),
  );
  const served =
    addresses.length === 0
      ? "It opens no address."
      : `Agents and listeners reach it by ${new Intl.ListFormat("en-GB").format(addresses)}.`;
  const token = tokenPath === undefined ? "" : ` Callers over TCP need the token in ${tokenPath}.`;
  return [
    `${timeOfDay(now)} The daemon ${producerId} is running. ${served}${token}`,
    "To hear its events, run aaepd tail in another terminal. To stop it, press Ctrl-C here.",
  ].map(shownText);
}
