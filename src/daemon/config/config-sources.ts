// Reads the configuration: flags, then AAEPD_* variables, then the file, then defaults. Unknown and out-of-range values are refused all at once, so
// that the user need not correct one mistake at a time.

import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { assertUnswappable, isForeign, isWritableForOthers } from "../../../transports/ipc/directory.js";
import { isFolder, isMissing } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import type { Configuration, DaemonCommand, OptionName, ResolvedConfiguration, ValueSource } from "./config.js";
import { type ConfigFile, configFileOf, refusalOf } from "./config-file.js";
import { OPTION_NAMES, OPTIONS } from "./config-schema.js";
import { type ReadValue, readPath } from "./config-values.js";
import { fallbackOf, flagOf, keyOf, variableOf } from "./option-names.js";
import type { OptionRow } from "./option-row.js";

const PREFIX = "AAEPD_";
/** Variable with the path of the file; the only AAEPD_* variable that is no option. */
export const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

export interface ConfigurationSources {
  readonly command: DaemonCommand;
  /** Flags as given: text for options with an argument, true or false for switches. */
  readonly flags: { readonly [Name in OptionName]?: string | boolean };
  /** Path given by `--config`. The file must exist. */
  readonly configFile?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: this platform. */
  readonly platform?: NodeJS.Platform;
}

/** Throws a Fault "usage" that names every mistake, each with its source and the values to give instead. */
export function resolveConfiguration(from: ConfigurationSources): ResolvedConfiguration {
  const problems: string[] = [];
  problems.push(...unknownVariables(from.environment));
  const file = fileInForce(from, problems);
  const inLines = (file?.faults ?? []).map(({ line, fault }) => ({ line, sentence: fault.sentence }));
  const elsewhere: string[] = [];
  const configuration: Partial<Record<OptionName, unknown>> = {};
  const sources: Partial<Record<OptionName, ValueSource>> = {};
  for (const name of OPTION_NAMES) {
    const { source, read, refused } = find(name, from, file);
    sources[name] = source;
    if (read.kind === "value") configuration[name] = read.value;
    else if (source.kind !== "file") elsewhere.push(refused(read.wanted));
    else inLines.push({ line: file?.values.get(name)?.line ?? 0, sentence: refused(read.wanted) });
  }
  inLines.sort((one, other) => one.line - other.line);
  problems.push(...inLines.map(({ line, sentence }) => `Line ${line} of ${file?.path}: ${sentence}`), ...elsewhere);
  // The values set so far have the types of the table; refused values are absent.
  problems.push(...ineffective(configuration as Partial<Configuration>, sources, from.command));
  if (problems.length > 0) throw new Fault("usage", problems.join("\n"), { origin: "local", rule: "P5" });
  // Every name of the table has been set above.
  return { configuration: configuration as Configuration, sources: sources as ResolvedConfiguration["sources"] };
}

/** Describes options of the command line that have no effect without another option. */
function ineffective(
  configuration: Partial<Configuration>,
  sources: Partial<ResolvedConfiguration["sources"]>,
  command: DaemonCommand,
): readonly string[] {
  return OPTION_NAMES.flatMap((name) => {
    const { needs, type } = OPTIONS[name] as OptionRow<unknown>;
    const source = sources[name];
    if (needs === undefined || source?.kind !== "flag") return [];
    if (!needs.every((one) => configuration[one]?.kind === "off")) return [];
    const value = configuration[name];
    if (value === undefined || type.toText(value) === type.toText(fallbackOf(name, command))) return [];
    const { flag } = source;
    const off = needs.length === 1 ? `${needs[0]} is off` : "both are off";
    return `${flag} is for the services of ${needs.join(" and ")}, and ${off}. Give ${needs.map(flagOf).join(" or ")} as well, or leave ${flag} out.`;
  });
}

/** The file that is read if it exists: the named one, otherwise the default. Throws a Fault "usage" if the name is no path. */
export function configFilePath(from: Pick<ConfigurationSources, "configFile" | "environment" | "platform">): string {
  const named = from.configFile ?? from.environment[CONFIG_VARIABLE];
  if (named === undefined) return defaultConfigFile(from.environment, from.platform);
  const read = readPath(named, "the path of a file");
  // A relative path is shown as it was given.
  if (read.kind === "value") return named.startsWith("~") ? read.value : named;
  const place = from.configFile === undefined ? CONFIG_VARIABLE : "--config";
  throw usage(`${place} is ${JSON.stringify(named)}. Give ${read.wanted}.`);
}

/** The file that is read by default: in the folder of XDG, on Windows in the folder of the user's programs. */
export function defaultConfigFile(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CONFIG_HOME: configHome, APPDATA: applications, HOME: home = homedir() } = environment;
  if (configHome !== undefined && isAbsolute(configHome)) return join(configHome, "aaepd", "config.json");
  if (platform === "win32" && applications !== undefined) return join(applications, "aaepd", "config.json");
  return join(home, ".config", "aaepd", "config.json");
}

/** "--max-hold-ms", "AAEPD_MAX_HOLD_MS", "max_hold_ms in /…/config.json", "the default". */
export function describeSource(source: ValueSource): string {
  switch (source.kind) {
    case "flag":
      return source.flag;
    case "environment":
      return source.variable;
    case "file":
      return `${source.key} in ${source.path}`;
    case "default":
      return "the default";
  }
}

interface Found {
  readonly source: ValueSource;
  readonly read: ReadValue<unknown>;
  /** Says that the value is refused. */
  readonly refused: (wanted: string) => string;
}

function find(name: OptionName, from: ConfigurationSources, file: ConfigFile | undefined): Found {
  const { type } = OPTIONS[name] as OptionRow<unknown>;
  const found = (source: ValueSource, value: unknown, read: ReadValue<unknown>): Found => ({
    source,
    read,
    refused: (wanted) => refusalOf(name, describeSource(source), value, wanted),
  });
  const flag = from.flags[name];
  if (flag !== undefined) {
    const source: ValueSource = { kind: "flag", flag: flag === false ? `--no-${flagOf(name).slice(2)}` : flagOf(name) };
    return found(source, flag, typeof flag === "string" ? type.fromText(flag) : type.fromJson(flag));
  }
  const variable = variableOf(name);
  const text = from.environment[variable];
  if (text !== undefined) return found({ kind: "environment", variable }, text, type.fromText(text));
  const value = file?.values.get(name);
  if (file === undefined || value === undefined) {
    const fallback = fallbackOf(name, from.command);
    return found({ kind: "default" }, fallback, { kind: "value", value: fallback });
  }
  const key = keyOf(name);
  return {
    source: { kind: "file", path: file.path, key },
    read: value.read,
    refused: (wanted) => refusalOf(name, key, value.json, wanted),
  };
}

function unknownVariables(environment: ConfigurationSources["environment"]): readonly string[] {
  const known = [...OPTION_NAMES.map(variableOf), CONFIG_VARIABLE];
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !known.includes(variable))
    .map((variable) => `The variable ${variable} is not known. ${didYouMean(variable, known) || "Remove it."}`);
}

/** Reads a file. Throws a Fault "usage" if it cannot be read, or as `readOwnFile` does; its faults are no error here. */
export function readConfigFile(path: string): ConfigFile {
  try {
    return configFileOf(path, readOwnFile(path, process.getuid?.()));
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    const sentence = isMissing(caught)
      ? `There is no file ${path}. Name one that exists, or write it with: aaepd config init --config ${path}`
      : isFolder(caught)
        ? `${path} is a folder. Name a file.`
        : `The file ${path} cannot be read: ${reasonOf(caught)}. Make it readable, or name another.`;
    throw usage(sentence, caught);
  }
}

/**
 * Returns the text of a file, if nobody else could have written it: the file names programs that the daemon starts. Throws a Fault
 * "permission_denied" if it belongs to another user, or if others can write to it or replace it in its folder, and Node's own error if it cannot be
 * read. `userId`: undefined where files have no owners.
 */
function readOwnFile(path: string, userId: number | undefined): string {
  const file = openSync(path, "r");
  try {
    const status = fstatSync(file);
    if (userId !== undefined && status.isFile()) {
      const mode = status.mode & 0o777;
      if (isForeign(status.uid, userId)) throw notOwn(path, `belongs to user ${status.uid}`, "Name a file of your own");
      if (isWritableForOthers(mode, status.gid, userId))
        throw notOwn(path, `has mode 0${mode.toString(8)}`, `Run: chmod go-w ${path}`);
      assertUnswappable(dirname(path), statSync(dirname(path)), userId);
    }
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function notOwn(path: string, is: string, remedy: string): Fault {
  const sentence = `The file ${path} ${is}, so that others could decide which programs the daemon starts. ${remedy}.`;
  return new Fault("permission_denied", sentence, { origin: "local" });
}

/** Reads the file in force. A default file that is missing is no problem. */
function fileInForce(from: ConfigurationSources, problems: string[]): ConfigFile | undefined {
  const isByVariable = from.configFile === undefined && from.environment[CONFIG_VARIABLE] !== undefined;
  const isNamed = from.configFile !== undefined || isByVariable;
  try {
    return readConfigFile(configFilePath(from));
  } catch (caught) {
    if (!(caught instanceof Fault)) throw caught;
    // A variable is easily forgotten.
    const said = isByVariable
      ? `${CONFIG_VARIABLE} names a file that cannot be used. ${caught.sentence}`
      : caught.sentence;
    if (isNamed || !isMissing(caught.cause)) problems.push(said);
    return undefined;
  }
}

function reasonOf(caught: unknown): string {
  return caught instanceof Error ? caught.message.replace(/\.$/, "") : String(caught);
}
