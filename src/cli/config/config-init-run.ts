// Writes a configuration file in which every option is a comment.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isAlreadyThere, nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import type { OptionName } from "../../daemon/config/config.js";
import { OPTION_GROUPS, OPTION_NAMES, OPTIONS } from "../../daemon/config/config-schema.js";
import { configFilePath } from "../../daemon/config/config-sources.js";
import { fallbackOf, keyOf, measureOf } from "../../daemon/config/option-names.js";
import type { OptionRow } from "../../daemon/config/option-row.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import { wrapText } from "../terminal/wrap-text.js";

export interface ConfigInitOptions {
  readonly config?: string;
  readonly force?: true;
}

export function runConfigInit({ config, force }: ConfigInitOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const path = resolve(configFilePath({ configFile: config, environment: io.environment }));
    write(path, force === true);
    await writeLines(io.stdout, [
      `Wrote ${shownText(path)}.`,
      "Every option in it is a comment. Remove the slashes before the options that you want to set.",
    ]);
    return EXIT.ok;
  });
}

/** Throws a Fault "usage" if there is a file and `replaces` is false. */
function write(path: string, replaces: boolean): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (replaces) writeWhole(path, configTemplate());
    else writeNew(path);
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    const sentence = `The file ${path} cannot be written (${nodeErrorCode(caught)}). Name another with --config.`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

function writeNew(path: string): void {
  try {
    writeFileSync(path, configTemplate(), { mode: 0o600, flag: "wx" });
  } catch (caught) {
    if (!isAlreadyThere(caught)) throw caught;
    const sentence = `There is a file ${path} already. Replace it with --force, or name another with --config.`;
    throw usage(sentence, caught);
  }
}

const COLUMNS = 80;

const INTRODUCTION = [
  "The configuration of aaepd: one JSON object, in which comments are allowed.",
  "",
  "Every option stands below with its default, as a comment. To set an option, remove the slashes before its line and change the value. An option on the command line wins over a variable, and a variable over this file.",
  "",
  "aaepd config check lists the faults of this file. aaepd serve reads the file again on SIGHUP. Changes then apply at once, except where an option says otherwise.",
];

/** Returns the whole file. Its lines of options begin with two blanks, two slashes and a quote; no other line does. */
export function configTemplate(): string {
  const groups = OPTION_GROUPS.flatMap((group, index) => [
    ...(index === 0 ? [] : [""]),
    `  // ${group}:`,
    ...OPTION_NAMES.filter((name) => OPTIONS[name].group === group).flatMap(optionLines),
  ]);
  return [...INTRODUCTION.flatMap((text) => comment(text, "")), "{", ...groups, "}", ""].join("\n");
}

function optionLines(name: OptionName): readonly string[] {
  const { meaning, atTheLimit, type, change } = OPTIONS[name] as OptionRow<unknown>;
  const serve = measureOf(name, fallbackOf(name, "serve"));
  const stdio = measureOf(name, fallbackOf(name, "stdio"));
  const facts = [
    `Values: ${type.range}.`,
    `Default: ${serve}${serve === stdio ? "" : `, under stdio ${stdio}`}.`,
    ...(change === "next_start" ? ["A change waits for the next start."] : []),
  ];
  const json = JSON.stringify(type.toJson(fallbackOf(name, "serve")));
  return [
    "",
    ...comment(`${meaning} ${atTheLimit}`, "  "),
    ...comment(facts.join(" "), "  "),
    `  // "${keyOf(name)}": ${json},`,
  ];
}

/** Lines of a comment. A line that began with a quote would look like an option. */
function comment(text: string, indent: string): readonly string[] {
  return wrapText(text, COLUMNS - indent.length - 3).map((line) => `${indent}// ${line}`.trimEnd());
}
