// `aaepd speak`: the help. The command itself is in speak-run.ts, which is loaded only when it runs.
import type { Command } from "commander";
import type { CommandIo } from "../terminal/command-io.js";
import { speakOptions } from "./speak-options.js";

const HELP = `
Follows every daemon of this user, also those that start later, and speaks through Speech Dispatcher, which it starts where none runs. A second
aaepd speak ends, and says who speaks already.

--mode done says when an agent is done, and the first sentence of what it wrote; aaepd again reads the rest. --mode sentence says each sentence as it
comes. --mode questions says questions, their outcomes and errors alone. Questions and errors are said in each mode, at once.

Keys are commands, to be bound to keys of the desktop: hush, again, back, skip, where, pause, resume, mute, questions, details, answer and stop. Each
prints what is said, too. Words of aaepd itself have a deeper voice than those of agents.

Options may stand in aaepd/speak.json in $XDG_CONFIG_HOME or ~/.config, as in {"mode": "sentence", "rate": 30}. --to command takes another program in
place of Speech Dispatcher: docs/listening.md has its messages, and programs for other systems.

Examples:
  aaepd speak
  aaepd speak --mode sentence --rate 40
  aaepd speak --code read --links text --emoji drop
  aaepd speak --to command ./speak.sh`;

export function registerSpeak(program: Command, io: CommandIo): void {
  const command = program
    .command("speak")
    .summary("speak what agents do, and ask")
    .description("Speaks what agents do and ask, as one listener of all daemons.");
  for (const option of speakOptions()) command.addOption(option);
  command
    .option("--config <FILE>", "a JSON file with these options")
    .addHelpText("after", HELP)
    .action(async (_: unknown) => {
      const { runSpeak } = await import("./speak-run.js");
      await runSpeak(command, io);
    });
}
