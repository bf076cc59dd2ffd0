// How an option is called in each place where it can be set, and what its default is there.
import type { Configuration, DaemonCommand, OptionName } from "./config.js";
import { OPTIONS } from "./config-schema.js";
import type { OptionRow } from "./option-row.js";

/** `maxHoldMs` is `max_hold_ms` in the file. */
export function keyOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `maxHoldMs` is `--max-hold-ms`. */
export function flagOf(name: OptionName): string {
  return `--${keyOf(name).replaceAll("_", "-")}`;
}

/** `maxHoldMs` is `AAEPD_MAX_HOLD_MS`. */
export function variableOf(name: OptionName): string {
  return `AAEPD_${keyOf(name).toUpperCase()}`;
}

/** The default under a command. */
export function fallbackOf<Name extends OptionName>(name: Name, command: DaemonCommand): Configuration[Name] {
  const row: OptionRow<Configuration[Name]> = OPTIONS[name];
  return command === "stdio" && "stdioFallback" in row ? (row.stdioFallback as Configuration[Name]) : row.fallback;
}

/** The value as it would be written in a flag. */
export function textOf<Name extends OptionName>(name: Name, value: Configuration[Name]): string {
  const row: OptionRow<Configuration[Name]> = OPTIONS[name];
  return row.type.toText(value);
}
