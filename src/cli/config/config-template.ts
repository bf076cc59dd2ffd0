// The text of a new configuration file: every option of the table as a comment, so that the defaults of a later version apply.
import type { OptionName } from "../../daemon/config/config.js";
import { OPTION_NAMES, OPTIONS } from "../../daemon/config/config-schema.js";
import { fallbackOf, keyOf, measureOf } from "../../daemon/config/option-names.js";
import { OPTION_GROUPS, type OptionRow } from "../../daemon/config/option-row.js";
import { wrapText } from "../terminal/wrap-text.js";

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
