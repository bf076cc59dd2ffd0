// Reads the configuration: flags, then AAEPD_* variables, then the file, then defaults. Unknown and out-of-range values are refused all at once, so
// that the user need not correct one mistake at a time.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isFolder, isMissing } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import type { Configuration, DaemonCommand, OptionName, ResolvedConfiguration, ValueSource } from "./config.js";
import { OPTION_NAMES, OPTIONS } from "./config-schema.js";
import type { ReadValue } from "./config-values.js";
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

type FileValues = { readonly path: string; readonly values: Readonly<Record<string, unknown>> };

/** Throws a Fault "usage" that names every mistake, each with its source and the values to give instead. */
export function resolveConfiguration(from: ConfigurationSources): ResolvedConfiguration {
  const problems: string[] = [];
  problems.push(...unknownVariables(from.environment));
  const file = readConfigFile(from, problems);
  const configuration: Partial<Record<OptionName, unknown>> = {};
  const sources: Partial<Record<OptionName, ValueSource>> = {};
  for (const name of OPTION_NAMES) {
    const { source, read } = find(name, from, file);
    sources[name] = source;
    if (read.kind === "value") configuration[name] = read.value;
    else if (OPTIONS[name].type.isSecret === true)
      problems.push(`${describeSource(source)} cannot be used. Give ${read.wanted}.`);
    else problems.push(`${describeSource(source)} is ${quoted(name, from, file)}. Give ${read.wanted}.`);
  }
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
}

function find(name: OptionName, from: ConfigurationSources, file: FileValues | undefined): Found {
  const { type } = OPTIONS[name] as OptionRow<unknown>;
  const flag = from.flags[name];
  if (flag !== undefined) {
    const source: ValueSource = { kind: "flag", flag: flag === false ? negated(flagOf(name)) : flagOf(name) };
    return { source, read: typeof flag === "string" ? type.fromText(flag) : type.fromJson(flag) };
  }
  const variable = variableOf(name);
  const text = from.environment[variable];
  if (text !== undefined) return { source: { kind: "environment", variable }, read: type.fromText(text) };
  const key = keyOf(name);
  if (file !== undefined && Object.hasOwn(file.values, key)) {
    return { source: { kind: "file", path: file.path, key }, read: type.fromJson(file.values[key]) };
  }
  return { source: { kind: "default" }, read: { kind: "value", value: fallbackOf(name, from.command) } };
}

function negated(flag: string): string {
  return `--no-${flag.slice(2)}`;
}

function quoted(name: OptionName, from: ConfigurationSources, file: FileValues | undefined): string {
  const value = from.flags[name] ?? from.environment[variableOf(name)] ?? file?.values[keyOf(name)];
  return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}

function unknownVariables(environment: ConfigurationSources["environment"]): readonly string[] {
  const known = [...OPTION_NAMES.map(variableOf), CONFIG_VARIABLE];
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !known.includes(variable))
    .map((variable) => `The variable ${variable} is not known. ${didYouMean(variable, known) || "Remove it."}`);
}

function readConfigFile(from: ConfigurationSources, problems: string[]): FileValues | undefined {
  const named = from.configFile ?? from.environment[CONFIG_VARIABLE];
  const namedBy = from.configFile === undefined && named !== undefined ? CONFIG_VARIABLE : "--config";
  const path = named ?? defaultConfigFile(from.environment, from.platform);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (caught) {
    if (named === undefined && isMissing(caught)) return undefined;
    problems.push(
      isMissing(caught)
        ? `There is no file ${path}. Give ${namedBy} the path of one.`
        : isFolder(caught)
          ? `${path} is a folder. Give ${namedBy} the path of a file.`
          : `The file ${path} cannot be read: ${reasonOf(caught)}. Make it readable, or give ${namedBy} another.`,
    );
    return undefined;
  }
  let values: unknown;
  try {
    values = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (caught) {
    problems.push(`The file ${path} is not JSON: ${reasonOf(caught)}. Correct it.`);
    return undefined;
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    problems.push(`The file ${path} holds no object. Write {"max_hold_ms": 5000}, for instance.`);
    return undefined;
  }
  const flat = withGroups(values as Readonly<Record<string, unknown>>, path, problems);
  const known = OPTION_NAMES.map(keyOf);
  for (const key of Object.keys(flat)) {
    if (!known.includes(key)) {
      problems.push(
        `The key ${JSON.stringify(key)} in ${path} is not known. ${didYouMean(key, known) || "Remove it."}`,
      );
    }
  }
  return { path, values: flat };
}

/** The key of the file whose members may stand in an object of their own: `{"a2e": {"providers": …}}` is `a2e_providers`. */
const GROUP = "a2e";

function withGroups(
  values: Readonly<Record<string, unknown>>,
  path: string,
  problems: string[],
): Readonly<Record<string, unknown>> {
  const { [GROUP]: group, ...others } = values;
  if (group === undefined) return values;
  if (typeof group !== "object" || group === null || Array.isArray(group)) {
    problems.push(`The key "${GROUP}" in ${path} must be an object, as in {"${GROUP}": {"max_parallel": 8}}.`);
    return others;
  }
  const members = Object.entries(group).map(([name, value]) => [`${GROUP}_${name}`, value] as const);
  for (const [key] of members)
    if (Object.hasOwn(others, key))
      problems.push(`${path} has ${key} twice: by itself and in "${GROUP}". Keep one of both.`);
  return { ...others, ...Object.fromEntries(members) };
}

function reasonOf(caught: unknown): string {
  return caught instanceof Error ? caught.message.replace(/\.$/, "") : String(caught);
}
