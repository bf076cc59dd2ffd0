import { basename } from "node:path";
import type { Command } from "commander";
import { Fault } from "../../base/errors.js";
import { addConfigurationOptions } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { runDaemonCommand } from "./run-daemon-command.js";

const EXPLANATION = `
The A2E agent starts this program in place of its host, and keeps its standard input and output as pipes. Both carry A2E, one message a line. The
program starts COMMAND, which is the host, passes requests to it, and passes its answers back. Log lines go to standard error.

Assistive technology finds the agent by the local socket, which this command opens as well, and hears:
  - the session, its tool calls, their progress and their errors,
  - a question before each call of a tool that --a2e-irreversible-tools names.

The end of standard input stops the daemon in order, and the host with it. SIGTERM, SIGINT and SIGHUP do the same. The daemon starts a host again
that ends.

You can also set every option by a variable or in the configuration file. See docs/a2e.md.

Examples:
  aaepd a2e -- python3 examples/a2e/provider.py
  aaepd a2e --a2e-irreversible-tools delete_file,send_money -- python3 host.py --port 0
  python3 examples/a2e/agent.py aaepd a2e -- python3 examples/a2e/provider.py`;

/** `aaepd a2e -- COMMAND …`: a daemon for the one A2E agent that started it, in front of the agent's host. */
export function registerA2e(program: Command, context: CommandContext): void {
  const command = program
    .command("a2e")
    .summary("run a daemon between an A2E agent and its host")
    .description(
      "Runs a daemon between the A2E agent that started it and the A2E host COMMAND. Opens a socket for assistive technology.",
    )
    .argument("<command...>", "the host and its arguments, after --")
    .addHelpText("after", EXPLANATION);
  addConfigurationOptions(command, "stdio");
  command.action((words: readonly string[], parsed: Readonly<Record<string, unknown>>) =>
    runDaemonCommand("stdio", withoutProviders(parsed), context, () => {}, {
      stdioSpeaks: "a2e",
      a2eProviders: [
        {
          name: basename(words[0] ?? ""),
          command: words,
          priority: 0,
          capabilities: undefined,
          authToken: "",
        },
      ],
    }),
  );
}

/** The command has one provider, which stands behind `--`. */
function withoutProviders(parsed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (parsed.a2eProviders === undefined) return parsed;
  throw new Fault("usage", "Give the host after --. Several hosts need aaepd serve with --a2e-providers.", {
    origin: "local",
    rule: "P5",
  });
}
