import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import type { SetupOptions } from "./setup-run.js";

const HELP = `
The command finds the agents that you have, makes the daemon run, and installs hooks for Claude Code and Codex. For agents in an editor, it says what to
write into the editor's settings. It changes nothing of an agent itself.

It first says everything that it will do: each file that it changes, and where text is kept. Then it asks once. At the end it asks a test question, which
you answer in the same terminal: type yes, and press Enter. It waits up to 2 minutes for that. Then run aaepd tail --interactive in a terminal of its own, to hear and answer.

The daemon becomes a service, of systemd or launchd, where one of these answers. Elsewhere it runs in the background until the machine stops. A daemon
that runs already is left alone. So are hooks that you installed with other options. A second run changes nothing, and asks the test question again.

Where systemd and Speech Dispatcher are here, it also asks whether aaepd shall speak, now and at each login: aaepd speak.

--undo takes out what setup has made, and nothing else: its hooks, its services or its daemon in the background, and its files. The journal stays.

--ask only asks the test question, for a listener that runs already.

Exit codes: 0 done, 1 something is missing: a step failed, or you answered no, or the test question was not answered, 2 wrong usage, or nobody can be
asked and --yes is not given, 130 interrupted.

Examples:
  aaepd setup
  aaepd setup --yes     in a script: asks nothing
  aaepd setup --undo`;

export function registerSetup(program: Command, io: CommandIo): void {
  program
    .command("setup")
    .summary("make the agents that you have audible, in one step")
    .description("Makes the agents that you have audible and answerable, and asks before it changes anything.")
    .option("-y, --yes", "do it without asking, and without the test question")
    .option("--undo", "take out what setup has made")
    .option("--ask", "only ask the test question")
    .addHelpText("after", HELP)
    .action(async (options: SetupOptions) => (await import("./setup-run.js")).runSetup(options, io));
}
