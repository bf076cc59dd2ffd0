// The options of serve, stdio and manifest, made from the table of the configuration.
import { type Command, Option } from "commander";
import type { OptionName } from "../../daemon/config/config.js";
import { OPTION_GROUPS, OPTION_NAMES, OPTIONS } from "../../daemon/config/config-schema.js";
import type { ConfigurationSources } from "../../daemon/config/config-sources.js";
import { fallbackOf, flagOf, measureOf } from "../../daemon/config/option-names.js";

type DaemonCommand = ConfigurationSources["command"];

/** Adds an option for every row of the table, and `--config`. `isHidden`: the help shows `--config` alone. */
export function addConfigurationOptions(
  command: Command,
  daemonCommand: DaemonCommand,
  { isHidden = false }: { readonly isHidden?: boolean } = {},
): void {
  for (const group of OPTION_GROUPS) {
    if (!isHidden) command.optionsGroup(`${group}:`);
    for (const name of OPTION_NAMES) {
      if (OPTIONS[name].group === group)
        for (const option of optionsFor(name, daemonCommand)) command.addOption(option.hideHelp(isHidden));
    }
  }
  if (!isHidden) command.optionsGroup("Options:");
  command.option(
    "--config <FILE>",
    'A JSON file with any of these options, as in {"max_hold_ms": 5000}. Default: aaepd/config.json in $XDG_CONFIG_HOME or ~/.config, where there is one.',
  );
}

/** Selects the flags of the command line from the options that commander has parsed. */
export function configurationFlags(
  parsed: Readonly<Record<string, unknown>>,
): Pick<ConfigurationSources, "flags" | "configFile"> {
  const flags: Partial<Record<OptionName, string | boolean>> = {};
  for (const name of OPTION_NAMES) {
    const value = parsed[name];
    if (typeof value === "string" || typeof value === "boolean") flags[name] = value;
  }
  const { config } = parsed;
  return { flags, configFile: typeof config === "string" ? config : undefined };
}

function optionsFor(name: OptionName, daemonCommand: DaemonCommand): readonly Option[] {
  const { type, meaning, atTheLimit, change } = OPTIONS[name];
  const fallback = measureOf(name, fallbackOf(name, daemonCommand));
  // Only serve reads its configuration again.
  const waits = daemonCommand === "serve" && change === "next_start" ? " A change waits for the next start." : "";
  const text = `${meaning} ${atTheLimit}${waits} Default ${fallback}.`;
  if (type.placeholder !== undefined) return [new Option(`${flagOf(name)} <${type.placeholder}>`, text)];
  return [new Option(flagOf(name), text), new Option(`--no-${flagOf(name).slice(2)}`, `Turns ${flagOf(name)} off.`)];
}
