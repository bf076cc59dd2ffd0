// The command line as data, for scripts that complete it: names, one-line descriptions, and the kinds of values.
import type { Argument, Command, Option } from "commander";

export interface CommandNode {
  /** The names from the program to this command, without the program's own: `["journal", "inspect"]`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  /** The values of each argument. The last one's hold for all that follow. */
  readonly values: readonly Values[];
  readonly commands: readonly CommandNode[];
}

export interface OptionNode {
  /** "-s" */
  readonly short: string | undefined;
  /** "--socket" */
  readonly long: string;
  readonly description: string;
  /** Undefined for switches. */
  readonly values: Values | undefined;
  /** Whether the value may be left out. */
  readonly isOptional: boolean;
}

export interface Values {
  /** The name of the value in the help. */
  readonly name: string;
  readonly words: readonly string[];
  readonly files: "files" | "folders" | "none";
}

const FILES = ["file", "path", "before", "after"];
const FOLDERS = ["dir", "folder"];

/** Describes a command and everything below it. */
export function describeCommand(command: Command, path: readonly string[] = []): CommandNode {
  const isProgram = path.length === 0;
  const commands = command.commands.map((one) => describeCommand(one, [...path, one.name()]));
  const all = isProgram ? [...commands, helpCommand(commands)] : commands;
  return {
    path,
    description: command.summary() || firstSentence(command.description()),
    options: [...command.options.map(optionNode), HELP_OPTION],
    values: command.registeredArguments.map(argumentValues),
    commands: all,
  };
}

const HELP_OPTION: OptionNode = {
  short: "-h",
  long: "--help",
  description: "show this help",
  values: undefined,
  isOptional: false,
};

/** `help` takes the names of a command: below it the same tree stands again, without options and values. */
function helpCommand(commands: readonly CommandNode[]): CommandNode {
  const named = ({ path, description, commands }: CommandNode): CommandNode => ({
    path: ["help", ...path],
    description,
    options: [],
    values: [],
    commands: commands.map(named),
  });
  return named({ path: [], description: "show the help of a command", options: [], values: [], commands });
}

/** Returns the command and everything below it, each before its own commands. */
export function allNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allNodes)];
}

function optionNode(option: Option): OptionNode {
  const { short, long = "", flags, description, argChoices, optional } = option;
  const [, placeholder] = flags.split(/[<>[\]]/);
  return {
    short,
    long,
    description: firstSentence(description),
    values: placeholder === undefined ? undefined : valuesOf(placeholder, argChoices),
    isOptional: optional,
  };
}

function argumentValues(argument: Argument): Values {
  return valuesOf(argument.name(), argument.argChoices);
}

/** In a list of alternatives, such as PATH|auto|off, words without capitals are values. Every other name says what a value is. */
function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  const names = placeholder.split("|");
  const isWord = (name: string): boolean => names.length > 1 && name === name.toLowerCase();
  const kinds = names.filter((name) => !isWord(name)).map((name) => name.toLowerCase());
  const files = kinds.some((kind) => FOLDERS.includes(kind))
    ? "folders"
    : kinds.some((kind) => FILES.includes(kind))
      ? "files"
      : "none";
  return { name: placeholder, words: choices ?? names.filter(isWord), files };
}

/** The first sentence of a description, without the full stop. */
function firstSentence(text: string): string {
  const end = text.indexOf(". ");
  return (end < 0 ? text : text.slice(0, end)).replace(/\.$/, "");
}
