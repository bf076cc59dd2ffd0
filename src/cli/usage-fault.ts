// What commander says of a mistyped command line, in our words: which option was meant, and where to read more.
import type { Command, CommanderError } from "commander";
import { Fault } from "../base/errors.js";
import { didYouMean } from "../daemon/nearest.js";

export function unknownCommand(name: string, known: readonly string[]): Fault {
  return usage(`There is no command ${quoted(name)}. ${didYouMean(name, known)} See aaepd --help.`);
}

/** `program` has parsed `argv` and thrown `error`. */
export function usageFault(error: CommanderError, program: Command, argv: readonly string[]): Fault {
  const command = program.commands.find((candidate) => argv.includes(candidate.name())) ?? program;
  const help = command === program ? "aaepd --help" : `aaepd ${command.name()} --help`;
  const said = error.message.replace(/^error: /, "");
  if (error.code === "commander.unknownOption") {
    const flag = /'(.*)'/s.exec(said)?.[1] ?? said;
    const [name = flag] = flag.split("=", 1);
    return usage(`There is no option ${quoted(name)}. ${didYouMean(name, flagsOf(command))} See ${help}.`);
  }
  return usage(`${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, ".")} See ${help}.`);
}

function flagsOf(command: Command): readonly string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

function usage(sentence: string): Fault {
  return new Fault("usage", sentence, { origin: "local" });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
