// Prints the configuration in force, with the source of each value.
import { existsSync } from "node:fs";
import type { DaemonCommand, OptionName, ResolvedConfiguration, ValueSource } from "../../daemon/config/config.js";
import { OPTION_GROUPS, OPTION_NAMES, OPTIONS } from "../../daemon/config/config-schema.js";
import { configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { fallbackOf, keyOf, measureOf } from "../../daemon/config/option-names.js";
import type { OptionRow } from "../../daemon/config/option-row.js";
import { configurationFlags } from "../shell/configuration-options.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { autoPath } from "./auto-paths.js";

/** Beside these stand the options of the daemon. */
export interface ConfigShowOptions extends Readonly<Record<string, unknown>> {
  readonly for: DaemonCommand;
  readonly changed?: true;
  readonly json?: true;
}

interface Shown extends ResolvedConfiguration {
  readonly command: DaemonCommand;
  /** Undefined if there is no file. */
  readonly file: string | undefined;
  readonly names: readonly OptionName[];
  /** Returns the path that `auto` means, if the value of the option is `auto`. */
  readonly pathOf: (name: OptionName) => string | undefined;
}

export function runConfigShow(options: ConfigShowOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const from = { command: options.for, ...configurationFlags(options), environment: io.environment };
    const resolved = resolveConfiguration(from);
    const path = configFilePath(from);
    const names = OPTION_NAMES.filter((name) => options.changed !== true || resolved.sources[name].kind !== "default");
    const shown: Shown = {
      ...resolved,
      command: options.for,
      file: existsSync(path) ? path : undefined,
      names,
      pathOf: (name) => autoPath(name, resolved.configuration, io.environment),
    };
    await writeLines(io.stdout, options.json === true ? [jsonText(reportOf(shown))] : linesOf(shown, path));
    return EXIT.ok;
  });
}

/** The file first, then the values under the headings of the documentation. */
function linesOf({ command, file, names, configuration, sources, pathOf }: Shown, path: string): readonly string[] {
  const intro = `The configuration of aaepd ${command}.`;
  const read = file === undefined ? `There is no file ${path}.` : `The file is ${path}.`;
  const groups = OPTION_GROUPS.flatMap((group) => {
    const lines = names
      .filter((name) => OPTIONS[name].group === group)
      .map((name) => {
        const path = pathOf(name);
        const value = `${measureOf(name, configuration[name])}${path === undefined ? "" : `, which is ${path}`}`;
        const { source, from } = sourceMembers(sources[name]);
        // The key of the file is the name before it.
        const said = from === undefined || source === "file" ? source : `${source} ${from}`;
        return `  ${keyOf(name)}: ${shownText(value)} (${said})`;
      });
    return lines.length === 0 ? [] : ["", `${group}:`, ...lines];
  });
  const nothing = groups.length === 0 ? ["Every value is the default."] : [];
  return [intro, shownText(read), ...nothing, ...groups];
}

function reportOf({ command, file, names, configuration, sources, pathOf }: Shown): object {
  return {
    command,
    file: file ?? null,
    options: names.map((name) => ({
      name: keyOf(name),
      value: jsonOf(name, configuration[name]),
      default: jsonOf(name, fallbackOf(name, command)),
      ...(OPTIONS[name].type.unit === undefined ? {} : { unit: OPTIONS[name].type.unit }),
      ...sourceMembers(sources[name]),
      path: pathOf(name),
    })),
  };
}

function jsonOf(name: OptionName, value: unknown): unknown {
  return (OPTIONS[name] as OptionRow<unknown>).type.toJson(value);
}

/** The kind of the source in the words of the command line, and its name. */
function sourceMembers(source: ValueSource): { readonly source: string; readonly from?: string } {
  if (source.kind === "flag") return { source: "option", from: source.flag };
  if (source.kind === "environment") return { source: "variable", from: source.variable };
  return source.kind === "file" ? { source: "file", from: source.key } : { source: source.kind };
}
