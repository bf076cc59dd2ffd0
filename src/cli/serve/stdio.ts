import type { Command } from "commander";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { runDaemonCommand } from "./run-daemon-command.js";

const EXPLANATION = `
The agent starts this program and keeps its standard input and output as pipes. Both carry JSON-RPC 2.0, one message a line. If the agent begins with
Content-Length headers, the daemon uses them too. Standard output carries nothing else. Log lines go to standard error, which the agent may ignore.

Assistive technology finds the agent by the local socket, which this command opens as well.

The end of standard input stops the daemon in order. SIGTERM, SIGINT and SIGHUP do the same.

You can also set every option by a variable (--max-hold-ms is AAEPD_MAX_HOLD_MS) or in the configuration file ("max_hold_ms"). An option wins over a
variable. A variable wins over the file.

In a program, start Node with the path of this one, not npx:
  node /…/aaepd/bin/aaepd.js stdio

Examples:
  aaepd stdio
  aaepd stdio --producer-id planner
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"aaep.manifest"}' | aaepd stdio --socket off`;

/** `aaepd stdio`: a daemon for the one agent that started it. */
export function registerStdio(program: Command, context: CommandContext): void {
  const command = program
    .command("stdio")
    .summary("run a daemon for the agent that started it, over its pipes")
    .description(
      "Runs a daemon for the one agent that started it, over standard input and output. Opens a socket for assistive technology.",
    )
    .addHelpText("after", EXPLANATION);
  addConfigurationOptions(command, "stdio");
  command.action((parsed: Readonly<Record<string, unknown>>) =>
    runDaemonCommand("stdio", parsed, context, () => {
      // A daemon started by hand would seem to hang. Standard error is for people; on a pipe nothing is printed.
      if ("isTTY" in context.stdio.readable && context.stdio.readable.isTTY === true) {
        context.io.stderr.write(
          "Waiting for JSON-RPC on standard input, one message a line. Ctrl-D ends the input and the daemon.\n",
        );
      }
    }),
  );
}
