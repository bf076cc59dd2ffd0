// Reports a mistyped command line in our words: the nearest known name, and where to read more.
import type { Command, CommanderError } from "commander";
import { Fault } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";

export function unknownCommand(name: string, known: readonly string[]): Fault {
  return usage(
    `There is no command ${quoted(name)}. ${[didYouMean(name, known), "See aaepd --help."].join(" ").trim()}`,
  );
}

export function unknownSubcommand(command: Command, name: string): Fault {
  const advice = `${didYouMean(name, namesOf(command))} See ${pathOf(command)} --help.`.trim();
  return usage(`${pathOf(command)} has no command ${quoted(name)}. ${advice}`);
}

/** `program` has parsed `argv` and thrown `error`. */
export function usageFault(error: CommanderError, program: Command, argv: readonly string[]): Fault {
  const command = commandIn(program, argv);
  const help = `${pathOf(command)} --help`;
  const said = error.message.replace(/^error: /, "");
  if (error.code === "commander.unknownOption") {
    const flag = /'(.*)'/s.exec(said)?.[1] ?? said;
    const [name = flag] = flag.split("=", 1);
    if (flagsOf(command).includes(name)) return usage(`${name} takes no value. Give it alone. See ${help}.`);
    return usage(`There is no option ${quoted(name)}. ${`${didYouMean(name, flagsOf(command))} See ${help}.`.trim()}`);
  }
  if (error.code === "commander.unknownCommand") {
    const name = /'(.*)'/s.exec(said)?.[1] ?? said;
    return unknownSubcommand(command, name);
  }
  if (error.code === "commander.missingArgument") return usage(`${missingArgument(command, said)} See ${help}.`);
  if (error.code === "commander.excessArguments" && flagsOf(command).includes("--only"))
    return usage(`${inOurWords(said)} --socket names a daemon, and --only what is heard of it. See ${help}.`);
  // The command line lacks the name of a subcommand.
  if (error.code === "commander.help") return usage(`Give a command: ${namesOf(command).join(", ")}. See ${help}.`);
  return usage(`${inOurWords(said)} See ${help}.`);
}

/** Names the missing argument, with its choices or its description. */
function missingArgument(command: Command, said: string): string {
  const name = /'(.*)'/s.exec(said)?.[1];
  const argument = command.registeredArguments.find((one) => one.name() === name);
  if (argument?.argChoices !== undefined) return `There is no ${name}. Give one of ${argument.argChoices.join(", ")}.`;
  return `There is no ${name ?? "argument"}. Give ${argument?.description ?? "one"}.`;
}

/** Finds the command named in `argv`, or the subcommand named after it. */
function commandIn(program: Command, argv: readonly string[]): Command {
  const found = program.commands.find((candidate) => argv.includes(candidate.name()));
  return found === undefined ? program : commandIn(found, argv.slice(argv.indexOf(found.name()) + 1));
}

/** The full name of a command, as in "aaepd journal inspect". */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((one) => one.name());
}

/** Messages in the style of all mistakes: the mistake, then the remedy. Each row recognises one sentence of commander by its fixed parts. */
const REWORDED: readonly (readonly [readonly string[], (...parts: readonly string[]) => string])[] = [
  [
    ["option '", "' argument missing"],
    (flags = "") => `${longOf(flags)} has no value. Give one: ${longOf(flags)}${argumentOf(flags)}.`,
  ],
  [
    ["required option '", "' not specified"],
    (flags = "") => `There is no ${longOf(flags)}. Give one: ${longOf(flags)}${argumentOf(flags)}.`,
  ],
  [
    ["option '", "' argument '", "' is invalid. ", ""],
    (flags = "", value = "", wanted = "") => `${longOf(flags)} is ${quoted(value)}. ${inOurChoices(wanted)}`,
  ],
  [
    ["command-argument value '", "' is invalid for argument '", "'. ", ""],
    (value = "", name = "", wanted = "") => `${name} is ${quoted(value)}. ${inOurChoices(wanted)}`,
  ],
  [
    ["option '", "' cannot be used with option '", "'"],
    (one = "", other = "") => `${longOf(one)} and ${longOf(other)} cannot be given together. Leave one of them out.`,
  ],
  [
    ["too many arguments", ". Expected ", " argument", " but got ", "."],
    (_, most, _plural, count) => `Too many arguments: ${count} where ${most} can be. Leave the others out.`,
  ],
];

function inOurChoices(wanted: string): string {
  return wanted.replace(/^Allowed choices are/, "Give one of");
}

function inOurWords(said: string): string {
  for (const [fixed, sentence] of REWORDED) {
    const parts = partsBetween(said, fixed);
    if (parts !== undefined) return sentence(...parts);
  }
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, ".")}`;
}

/** Returns the variable parts of a text that consists of the fixed parts in order; undefined for any other text. */
function partsBetween(text: string, fixed: readonly string[]): readonly string[] | undefined {
  const [first = "", ...others] = fixed;
  const last = others.pop() ?? "";
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const parts: string[] = [];
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return undefined;
    parts.push(text.slice(at, found));
    at = found + part.length;
  }
  return at > end ? undefined : [...parts, text.slice(at, end)];
}

/** The longer name in "-r, --rate <number>". */
function longOf(flags: string): string {
  return /^(?:-\w, )?(\S+)/.exec(flags)?.[1] ?? flags;
}

/** The part behind the name in "-r, --rate <number>". */
function argumentOf(flags: string): string {
  return flags.slice(flags.indexOf(longOf(flags)) + longOf(flags).length);
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
