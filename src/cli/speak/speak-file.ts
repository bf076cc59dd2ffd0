// The file with options of `aaepd speak`. A key is the name of an option, and its value is judged as the option's.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, CommanderError, type Option } from "commander";
import { type Fault, usage } from "../../base/errors.js";
import { isObject } from "../../base/members.js";
import { didYouMean } from "../../base/nearest.js";
import { defaultConfigFile } from "../../daemon/config/config-sources.js";
import { loadJsonc } from "../../daemon/config/load-jsonc.js";
import { repeated } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import { speakOptions } from "./speak-options.js";

/** Gives the command the values of the file for options that the command line leaves out. Throws a Fault "usage" for what is wrong with it. */
export function applySpeakFile(command: Command, { environment }: Pick<CommandIo, "environment">): void {
  const named = command.getOptionValue("config");
  const path = typeof named === "string" ? named : join(dirname(defaultConfigFile(environment)), "speak.json");
  if (named === undefined && !existsSync(path)) return;
  const options = new Map(speakOptions().map((option) => [keyOf(option), option]));
  for (const [key, value] of Object.entries(membersOf(path))) {
    const option = options.get(key);
    if (option === undefined)
      throw wrong(
        path,
        `The key ${JSON.stringify(key.slice(0, 80))} is not known. ${didYouMean(key, [...options.keys()]) || "Remove it."}`,
      );
    const name = option.attributeName();
    // The daemons that the command line names are not those of the file.
    const names = ["socket", "from"].includes(name) ? ["socket", "from"] : [name];
    if (names.some((one) => ["cli", "env"].includes(command.getOptionValueSource(one) ?? ""))) continue;
    command.setOptionValueWithSource(name, readOption(option, key, value, path), "config");
  }
}

function keyOf(option: Option): string {
  return option.attributeName();
}

function membersOf(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (caught) {
    throw wrong(path, `It cannot be read: ${caught instanceof Error ? caught.message : String(caught)}.`);
  }
  const errors: never[] = [];
  const value: unknown = loadJsonc().parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value)) throw wrong(path, 'It holds no JSON object, as in {"mode": "sentence"}.');
  return value;
}

function readOption(option: Option, key: string, value: unknown, path: string): unknown {
  if (option.negate) {
    if (typeof value === "boolean") return value;
    throw wrong(path, `${key} is ${JSON.stringify(value)}. Give true or false.`);
  }
  if ((option.variadic || option.parseArg === repeated) && Array.isArray(value)) return value.map(String);
  if (option.isBoolean() && typeof value === "boolean") return value;
  try {
    if (typeof value !== "string" && typeof value !== "number")
      throw new CommanderError(1, "", "Give a text or a number.");
    return option.parseArg === undefined ? String(value) : option.parseArg(String(value), undefined);
  } catch (caught) {
    throw wrong(
      path,
      `${key} is ${JSON.stringify(value)}. ${caught instanceof CommanderError ? caught.message : String(caught)}`,
    );
  }
}

function wrong(path: string, sentence: string): Fault {
  return usage(`${path}: ${sentence}`);
}
