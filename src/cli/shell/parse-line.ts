// Runs a command line. A mistyped one is told in commander's own sentence, and where to read more.
import type { Command, CommanderError } from "commander";
import { type Fault, usage } from "../../base/errors.js";
import { ownMember } from "../../base/members.js";
import { didYouMean } from "../../base/nearest.js";
import type { CommandIo } from "../terminal/command-io.js";
import { CAPABILITY_FLAGS } from "./capability-options.js";
import { EXIT } from "./run-command.js";

/** Rejects with what the command throws; with a Fault "usage" if the command line is wrong. */
export async function parseLine(program: Command, argv: readonly string[], io: CommandIo): Promise<void> {
  const names = argv.filter((argument) => !argument.startsWith("-"));
  const isHelp = names[0] === "help";
  if (isHelp) names.shift();
  try {
    if (isHelp) showHelp(program, names);
    else {
      if (argv.some((argument) => argument === "-h" || argument === "--help")) assertCommands(program, argv);
      await program.parseAsync(argv, { from: "user" });
    }
  } catch (caught) {
    const { CommanderError } = await import("commander");
    if (!(caught instanceof CommanderError)) throw caught;
    // Commander has printed the help of a command that needs a subcommand.
    if (caught.code === "commander.help") io.setExitCode(EXIT.usage);
    else if (caught.exitCode !== 0) throw usageFault(caught, program, names);
  }
}

/** Where help is asked for, commander does not look whether the command before it is one. */
function assertCommands(command: Command, [word = "", ...others]: readonly string[]): void {
  if (word.startsWith("-") || word === "help" || word === "" || command.commands.length === 0) return;
  assertCommands(command.commands.find((one) => one.name() === word) ?? unknownCommand(command, word), others);
}

/** Commander's own help command knows commands of the first level alone. */
function showHelp(program: Command, names: readonly string[]): void {
  let shown = program;
  for (const name of names.filter((one) => one !== "help"))
    shown = shown.commands.find((one) => one.name() === name) ?? unknownCommand(shown, name);
  shown.outputHelp();
}

function unknownCommand(command: Command, name: string): never {
  const known = command.commands.map((one) => one.name());
  return command.error(`error: unknown command '${name}'\n(${didYouMean(name, known)})`.replace("\n()", ""));
}

function usageFault({ code, message }: CommanderError, program: Command, names: readonly string[]): Fault {
  // "error: unknown option '--tiem'\n(Did you mean --time?)"
  const at = message.lastIndexOf("\n(Did you mean ");
  const said = message.slice(0, at < 0 ? undefined : at).replace(/^error: /, "");
  const [, capability = ""] = /^unknown option '--([\w-]+)/.exec(said) ?? [];
  const flag = ownMember(CAPABILITY_FLAGS, capability.replaceAll("-", "_"));
  const near = at < 0 ? "" : message.slice(at + 2, -1);
  const guess = flag !== undefined && names[0] === "tail" ? `Did you mean ${flag}?` : near;
  const mistake = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, ".")}`;
  const [command, path] = commandIn(program, names);
  const form = code === "commander.missingArgument" ? `Usage: ${path} ${command.usage()}.` : "";
  const sentences = [mistake, guess, form, `See ${path} --help.`];
  return usage(sentences.filter(Boolean).join(" "));
}

/** The command that the names lead to, and its full name, as in "aaepd journal inspect". */
function commandIn(command: Command, [name, ...others]: readonly string[], path = command.name()): [Command, string] {
  const next = command.commands.find((one) => one.name() === name);
  return next === undefined ? [command, path] : commandIn(next, others, `${path} ${next.name()}`);
}
