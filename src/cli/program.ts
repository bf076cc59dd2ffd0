// The command line as a whole: the program with some or all of its commands.
import type { Command } from "commander";
import type { CommandLoader } from "./commands.js";
import type { CommandContext } from "./shell/context.js";
import { inOurForm, type ProgramOutput } from "./shell/program-form.js";

const EXPLANATION = `
Examples:
  aaepd demo              play a session to three listeners
  aaepd serve             run a daemon for all agents of this user
  aaepd stdio             run a daemon for the agent that starts it
  aaepd a2e -- COMMAND    make the A2E host COMMAND audible
  aaepd tail              follow every daemon of this user in the terminal
  aaepd doctor            find out why an agent is not heard
  aaepd help serve        show all options of a command

Exit codes: 0 done, 1 at fault, 2 wrong usage. docs/exit-codes.md lists all of them.`;

/** Loads the commands and registers them, in their order, with a program that throws instead of ending the process. */
export async function createProgram(
  commands: readonly CommandLoader[],
  context: CommandContext,
  output: ProgramOutput,
): Promise<Command> {
  const [{ Command }, { readVersion }, ...registrations] = await Promise.all([
    import("commander"),
    import("../daemon/platform/version.js"),
    ...commands.map(({ load }) => load()),
  ]);
  const program = inOurForm(new Command("aaepd"), readVersion(), output)
    .description("The daemon between AI agents and assistive technology.")
    .helpCommand("help [command...]", "show the help of a command")
    .addHelpText("beforeAll", ({ error }) => (error ? "Error: Give a command.\n" : ""))
    .addHelpText("after", EXPLANATION);
  for (const register of registrations) register(program, context);
  return program;
}
