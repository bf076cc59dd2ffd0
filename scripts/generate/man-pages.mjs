// Makes the manual pages from the help of the compiled command line: one for the program and one for each command, as `man git-commit` is looked up.
// A page holds the commands of its command too.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bold, escaped, font, paragraph, separated, termList, verbatim } from "./roff.mjs";

/** Columns of the text of a page on a terminal of 80. */
const COLUMNS = 69;

/** The text of each page by its path from the root of the project. */
export async function manPages(root) {
  const { createProgram, COMMANDS, EXIT_CODES } = await commandLine(root);
  const written = [];
  const writeOut = (text) => written.push(text);
  const program = await createProgram(COMMANDS, {}, { width: COLUMNS, writeOut, writeErr: writeOut });
  const help = (command) => {
    written.length = 0;
    command.outputHelp();
    // The first text is commander's own, of which the options are read from the command itself.
    return sectionsOf(written.slice(1).join(""));
  };
  const names = program.commands.map(pageName);
  const pages = program.commands.map((command) => [pageName(command), commandPage(command, help, program.version())]);
  return new Map(
    [["aaepd", programPage(program, help(program), names, EXIT_CODES)], ...pages].map(([name, text]) => [
      `man/${name}.1`,
      text,
    ]),
  );
}

/** Compiles what is not, and loads it. */
async function commandLine(root) {
  spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: root });
  const load = (path) => import(pathToFileURL(join(root, "dist/src", path)).href);
  const [{ createProgram }, { COMMANDS }, { EXIT_CODES }] = await Promise.all([
    load("cli/program.js"),
    load("cli/commands.js"),
    load("daemon/platform/exit-codes.js"),
  ]);
  return { createProgram, COMMANDS, EXIT_CODES };
}

function pageName(command) {
  return `aaepd-${command.name()}`;
}

/** Divides the text below the options into paragraphs and blocks, the examples, and the exit codes. */
function sectionsOf(text) {
  const blocks = [];
  let open;
  for (const line of text.split("\n")) {
    const isIndented = line.startsWith(" ");
    if (line === "") open = undefined;
    else if (open?.isIndented === isIndented) open.text += `\n${line}`;
    else {
      open = { isIndented, text: line };
      blocks.push(open);
    }
  }
  const exampleAt = blocks.findIndex((one) => /^Examples?:$/.test(one.text));
  const examples = exampleAt < 0 ? [] : blocks.splice(exampleAt, 2).slice(1);
  const exitAt = blocks.findIndex((one) => one.text.startsWith(EXIT_HEADING));
  const [exitCodes] = exitAt < 0 ? [] : blocks.splice(exitAt, 1);
  return { blocks, examples, exitCodes: exitCodes?.text.slice(EXIT_HEADING.length) };
}

const partsOf = (blocks) => blocks.map(({ isIndented, text }) => (isIndented ? verbatim(text) : paragraph(text)));

/** A section, or nothing where it would be empty. */
const section = (heading, lines) => (lines.length === 0 ? [] : [`.SH ${heading}`, ...lines]);

function page(name, version, summary, lines) {
  return `${[
    '.\\" Made by npm run generate. Changes by hand are lost.',
    `.TH ${escaped(name).toUpperCase()} 1 "" "aaepd ${version}"`,
    // A line that is stretched, or a word that is cut, is read aloud badly.
    ".ad l",
    ".nh",
    ...section("NAME", [`${escaped(name)} \\- ${escaped(summary)}`]),
    ...lines,
  ].join("\n")}\n`;
}

function synopsis(command) {
  const names = [];
  for (let one = command; one !== null; one = one.parent) names.unshift(one.name());
  return `${bold(names.join(" "))} ${font("I", command.usage())}`;
}

/** The options under their headings. */
function optionLines(command) {
  const helper = command.createHelp();
  const groups = new Map();
  for (const option of helper.visibleOptions(command)) {
    const group = option.helpGroupHeading ?? PLAIN_GROUP;
    const entry = [flagsText(option.flags), helper.optionDescription(option)];
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return [...groups].flatMap(([group, entries]) => [
    ...(group === PLAIN_GROUP ? [] : [`.SS ${escaped(group.replace(/:$/, ""))}`]),
    ...termList(entries),
  ]);
}

/** "-s, --socket <path>" with its names bold and its value in italics. */
function flagsText(flags) {
  const [names, ...values] = flags.split(/ (?=[<[])/);
  return [names.split(", ").map(bold).join(", "), ...values.map((value) => font("I", value))].join(" ");
}

function argumentLines(command) {
  const helper = command.createHelp();
  return termList(
    helper
      .visibleArguments(command)
      .map((argument) => [font("I", helper.argumentTerm(argument)), helper.argumentDescription(argument)]),
  );
}

function commandPage(command, help, version) {
  const { blocks, examples, exitCodes } = help(command);
  const parts = command.commands;
  return page(pageName(command), version, command.summary(), [
    ...section("SYNOPSIS", [synopsis(command)]),
    ...section("DESCRIPTION", separated([paragraph(command.description()), ...partsOf(blocks)])),
    ...section("COMMANDS", termList(parts.map((part) => [bold(part.name()), part.summary()]))),
    ...section("ARGUMENTS", argumentLines(command)),
    ...section("OPTIONS", optionLines(command)),
    ...parts.flatMap((part) => section(escaped(part.name().toUpperCase()), partLines(part, help(part)))),
    ...section("EXIT STATUS", exitCodes === undefined ? [] : paragraph(exitCodes)),
    ...section("EXAMPLES", separated(partsOf(examples))),
    ...section("SEE ALSO", [`${bold("aaepd")}(1)`]),
  ]);
}

/** A command of a command. */
function partLines(command, { blocks, examples, exitCodes }) {
  const terms = [...argumentLines(command), ...optionLines(command)];
  const behind = [
    ...(exitCodes === undefined ? [] : [paragraph(`${EXIT_HEADING}${exitCodes}`)]),
    ...(examples.length === 0 ? [] : [paragraph("Examples:"), ...partsOf(examples)]),
  ];
  return [
    ...separated([[synopsis(command)], paragraph(command.description()), ...partsOf(blocks)]),
    ...separated([terms, ...behind]),
  ];
}

/** The heading of options that have no other. */
const PLAIN_GROUP = "Options:";
const EXIT_HEADING = "Exit codes: ";

const FILES = [
  ["~/.config/aaepd/config.json", "The configuration, also in $XDG_CONFIG_HOME. aaepd config init writes it."],
  [
    "$XDG_RUNTIME_DIR/aaep/ID.sock",
    "The socket of the daemon with that id. Without the variable it is in /tmp/aaep-UID.",
  ],
  ["~/.local/state/aaepd/journal/ID", "The journal of serve, also in $XDG_STATE_HOME."],
  ["~/.local/state/aaepd/audit", "The audit log, also in $XDG_STATE_HOME."],
];

const VARIABLES = [
  ["AAEPD_CONFIG", "The path of the configuration file."],
  ["AAEPD_SOCKET", "The socket of a daemon, and of the daemon that clients ask."],
  ["AAEPD_*", "Every option of a daemon has a variable: AAEPD_MAX_HOLD_MS sets --max-hold-ms."],
  ["NO_COLOR", "Commands write no colours and no control sequences."],
  ["COLUMNS", "The width of the help if the output is no terminal."],
];

const DESCRIPTION =
  "Agents publish their tool calls, answers and questions to the daemon. Screen readers, braille displays and debugging tools subscribe to them, each at its own rate, in its own language and at its own level of detail.";

function programPage(program, { examples }, names, exitCodes) {
  const boldTerms = (entries) => termList(entries.map(([term, text]) => [bold(term), text]));
  const codes = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning.replaceAll("`", "")]);
  const commands = program.commands.map((command) => [`${bold(pageName(command))}(1)`, command.summary()]);
  return page("aaepd", program.version(), "the daemon between AI agents and assistive technology", [
    ...section("SYNOPSIS", [synopsis(program)]),
    ...section("DESCRIPTION", paragraph(DESCRIPTION)),
    ...section("COMMANDS", [
      ...paragraph("Each command has a page of its own, as in man aaepd-serve."),
      ...termList(commands),
    ]),
    ...section("OPTIONS", optionLines(program)),
    ...section("EXIT STATUS", boldTerms(codes)),
    ...section("ENVIRONMENT", boldTerms(VARIABLES)),
    ...section("FILES", boldTerms(FILES)),
    ...section("EXAMPLES", separated(partsOf(examples))),
    ...section("SEE ALSO", [names.map((name) => `${bold(name)}(1)`).join(",\n")]),
  ]);
}
