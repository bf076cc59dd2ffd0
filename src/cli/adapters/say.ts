import type { Command } from "commander";
import type { CommandContext } from "../shell/context.js";
import { type AdapterOptions, addAdapterOptions } from "./adapter-options.js";

const EXPLANATION = `
Listeners hear the text in sentences, as one session. Without TEXT it is standard input, which is heard as it comes. Where no daemon runs the
command says so on standard error, and ends with 0 all the same.

Examples:
  aaepd say "The backup is done."
  make 2>&1 | aaepd say --name Build`;

/** `aaepd say [TEXT]`: a text is heard. */
export function registerSay(program: Command, context: CommandContext): void {
  const command = program
    .command("say")
    .summary("let a text be heard")
    .description("Lets listeners hear a text, or standard input.")
    .argument("[text]", "the text (default: standard input)");
  addAdapterOptions(command, "Say and the folder")
    .addHelpText("after", EXPLANATION)
    .action(async (text: string | undefined, options: AdapterOptions) => {
      const { runSayCommand } = await import("./say-run.js");
      await runSayCommand(text, options, context.io);
    });
}
