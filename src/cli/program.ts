// The command line as a whole: the program with some or all of its commands.
import type { Command } from "commander";
import type { CommandLoader } from "./commands.js";
import type { CommandContext } from "./shell/context.js";
import { HELP_STYLE } from "./shell/help-style.js";
import { reflowed } from "./terminal/help-layout.js";

export interface ProgramOutput {
  /** Columns of the help; infinite where paragraphs are not to be broken. */
  readonly width: number;
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

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
  { width, writeOut, writeErr }: ProgramOutput,
): Promise<Command> {
  const [{ Command }, { readVersion }, ...registrations] = await Promise.all([
    import("commander"),
    import("../daemon/platform/version.js"),
    ...commands.map(({ load }) => load()),
  ]);
  const program = new Command("aaepd")
    .description("The daemon between AI agents and assistive technology.")
    .version(readVersion(), "-v, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command...]", "show the help of a command")
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeOut(reflowed(text, width)),
      writeErr: (text) => writeErr(reflowed(text, width)),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      // The fault is reported once, in our own form, where it is caught.
      outputError: () => {},
    })
    .configureHelp(HELP_STYLE)
    .addHelpText("after", EXPLANATION);
  for (const register of registrations) register(program, context);
  return program;
}
