// A configuration that was read again while the daemon runs: what of it applies at once, and what waits for the next start (R8b).
import type { Log } from "../../contracts/log.js";
import { isLouder, type LogLevel } from "../platform/log.js";
import type { Configuration, OptionName } from "./config.js";
import { OPTION_NAMES, OPTIONS } from "./config-schema.js";
import { keyOf, textOf } from "./option-names.js";

export interface Reconfigured {
  /** Options that have changed, and hold. */
  readonly applied: readonly OptionName[];
  /** Options that differ from what the daemon was started with, and take effect at the next start. */
  readonly waiting: readonly OptionName[];
}

/** A log whose level may be set. Where it has no `setLevel`, another level takes effect at the next start. */
export interface LevelledLog extends Log {
  readonly setLevel?: (level: LogLevel) => void;
}

export interface ReconfigureServices {
  /** The configuration that the daemon reads, each time anew. Changes that apply at once are written into it. */
  readonly settings: Configuration;
  readonly log: LevelledLog;
  /** Told of what holds from now on, for whoever waits by what held before. */
  readonly applied: (names: readonly OptionName[]) => void;
  /** Makes the token of the services anew. Answers where it stands; undefined where none is asked for. Never throws. */
  readonly renewToken: () => string | undefined;
}

/** Applies what can change at run time, and says in the log what did and what waits. */
export function reconfigure(wanted: Configuration, services: ReconfigureServices): Reconfigured {
  const { settings, log } = services;
  const before = settings.logLevel;
  const changed = OPTION_NAMES.filter((name) => textOf(name, settings[name]) !== textOf(name, wanted[name]));
  const appliesNow = (name: OptionName): boolean =>
    OPTIONS[name].change === "at_once" && (name !== "logLevel" || log.setLevel !== undefined);
  const applied = changed.filter(appliesNow);
  const waiting = changed.filter((name) => !appliesNow(name));
  Object.assign(settings, Object.fromEntries(applied.map((name) => [name, wanted[name]])));
  // A person who asks for fewer lines is still told that there will be fewer.
  log.setLevel?.(isLouder(before, settings.logLevel) ? before : settings.logLevel);
  if (applied.length > 0) services.applied(applied);
  const tokenFile = services.renewToken();
  log.info(
    { applied: applied.map(keyOf), ...(tokenFile === undefined ? {} : { new_token_in: tokenFile }) },
    "the configuration was read again",
  );
  if (waiting.length > 0) log.info({ options: waiting.map(keyOf) }, "takes effect at the next start");
  log.setLevel?.(settings.logLevel);
  return { applied, waiting };
}
