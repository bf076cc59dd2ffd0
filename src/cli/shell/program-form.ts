// The form of all our programs: version, help and its layout; faults are thrown, and the process goes on. The help of every command reads well line
// by line, as a screen reader reads it.
import type { Argument, Command, Help, HelpConfiguration, Option } from "commander";
import { reflowed } from "../terminal/help-layout.js";

/** Blanks before a name, between a name and its description, and before a description that stands below its name. */
const INDENT = 2;
const GAP = 2;
const BELOW = 6;
/** The term width of a page whose descriptions stand below their names. */
const STACKED = 0;

/**
 * A page whose descriptions all fit beside their names has two columns. Otherwise each description stands below its name, over the whole width: a
 * description that is broken beside its name would be heard in pieces.
 */
const HELP_STYLE: HelpConfiguration = {
  minWidthToWrap: 20,
  // The arguments of a command stand in the command's own help.
  subcommandTerm: (command: Command) => command.name(),
  optionDescription: (option: Option) => withValues(option.description, option, option.required || option.optional),
  argumentDescription: (argument: Argument) => withValues(argument.description, argument, true),
  padWidth(command: Command, helper: Help) {
    const items = itemsOf(command, helper);
    const termWidth = Math.max(...items.map(({ term }) => term.length), 0);
    const room = (helper.helpWidth ?? 80) - INDENT - termWidth - GAP;
    return items.every(({ description }) => description.length <= room) ? termWidth : STACKED;
  },
  formatItem(term: string, termWidth: number, description: string, helper: Help) {
    const name = " ".repeat(INDENT) + term;
    if (description === "") return name;
    if (termWidth !== STACKED) return `${name.padEnd(INDENT + termWidth + GAP)}${description}`;
    const below = " ".repeat(BELOW);
    const text = helper.boxWrap(description, (helper.helpWidth ?? 80) - BELOW);
    return `${name}\n${below}${text.replaceAll("\n", `\n${below}`)}`;
  },
};

interface Item {
  readonly term: string;
  readonly description: string;
}

function itemsOf(command: Command, helper: Help): readonly Item[] {
  return [
    ...helper.visibleArguments(command).map((one) => ({
      term: helper.argumentTerm(one),
      description: helper.argumentDescription(one),
    })),
    ...helper.visibleOptions(command).map((one) => ({
      term: helper.optionTerm(one),
      description: helper.optionDescription(one),
    })),
    ...helper.visibleCommands(command).map((one) => ({
      term: helper.subcommandTerm(one),
      description: helper.subcommandDescription(one),
    })),
  ];
}

interface Values {
  readonly argChoices?: readonly string[] | undefined;
  readonly defaultValue?: unknown;
}

/** "how messages are cut (length-prefixed or newline)", "unanswered events at a time (default 64)". */
function withValues(description: string, { argChoices, defaultValue }: Values, takesValue: boolean): string {
  const facts = [
    ...(argChoices === undefined ? [] : [new Intl.ListFormat("en-GB", { type: "disjunction" }).format(argChoices)]),
    ...(defaultValue === undefined || !takesValue ? [] : [`default ${oneWord(String(defaultValue))}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join(", ")})`;
}

/** Quotes a text that could be taken for several words of the sentence. */
function oneWord(text: string): string {
  return text.includes(" ") ? JSON.stringify(text) : text;
}

export interface ProgramOutput {
  /** Columns of the help; infinite where paragraphs are not to be broken. */
  readonly width: number;
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** Gives a program this form. */
export function inOurForm(program: Command, version: string, { width, writeOut, writeErr }: ProgramOutput): Command {
  const helper = Object.assign(program.createHelp(), HELP_STYLE);
  const laidOut = (text: string): string =>
    reflowed(text, width, (paragraph, columns) => helper.boxWrap(paragraph, columns));
  return program
    .version(version, "-v, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeOut(laidOut(text)),
      writeErr: (text) => writeErr(laidOut(text)),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      // The fault is reported once, in our own form, where it is caught.
      outputError: () => {},
    })
    .configureHelp(HELP_STYLE);
}
