// Names of an option in each place where it can be set, and its default there.
import type { Configuration, DaemonCommand, OptionName } from "./config.js";
import { OPTIONS } from "./config-schema.js";
import type { OptionRow } from "./option-row.js";

const ROWS: { readonly [Name in OptionName]: OptionRow<Configuration[Name]> } = OPTIONS;

/** `maxHoldMs` becomes `max_hold_ms`, the key in the file. */
export function keyOf(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `maxHoldMs` becomes `--max-hold-ms`. */
export function flagOf(name: OptionName): string {
  return `--${keyOf(name).replaceAll("_", "-")}`;
}

/** `maxHoldMs` becomes `AAEPD_MAX_HOLD_MS`. */
export function variableOf(name: OptionName): string {
  return `AAEPD_${keyOf(name).toUpperCase()}`;
}

/** The default under a command. */
export function fallbackOf<Name extends OptionName>(name: Name, command: DaemonCommand): Configuration[Name] {
  const row: OptionRow<Configuration[Name]> = ROWS[name];
  return command === "stdio" && "stdioFallback" in row ? (row.stdioFallback as Configuration[Name]) : row.fallback;
}

/** The value in the spelling of a flag. */
export function textOf<Name extends OptionName>(name: Name, value: Configuration[Name]): string {
  return ROWS[name].type.toText(value);
}

/** The value with its unit, for people: "5 seconds", "1 event", "unlimited". Nothing that opens something is repeated. */
export function measureOf<Name extends OptionName>(name: Name, value: Configuration[Name]): string {
  const row: OptionRow<Configuration[Name]> = ROWS[name];
  const json = row.type.toJson(value);
  if (typeof json === "string") return json;
  if (typeof json !== "number" || row.type.unit === undefined) return row.type.toText(value);
  // The plural ends the first word of "events a second", and the last of "memory units".
  return `${json} ${json === 1 ? row.type.unit.replace(/s(?= a |$)/, "") : row.type.unit}`;
}
