// Applies a configuration that was read again at run time: some changes apply at once, the others at the next start (R8b).
import { hasPackages, missingPackagesSentence } from "../../../transports/optional-packages.js";
import { isOpen, SERVICE_NAMES } from "../../../transports/ways.js";
import type { Log } from "../../contracts/log.js";
import { isLouder, type LogLevel } from "../platform/log.js";
import type { Configuration, OptionName } from "./config.js";
import { OPTION_NAMES, OPTIONS } from "./config-schema.js";
import { keyOf, textOf } from "./option-names.js";

export interface Reconfigured {
  /** Changed options that apply now. */
  readonly applied: readonly OptionName[];
  /** Options that differ from the running configuration and take effect at the next start. */
  readonly waiting: readonly OptionName[];
}

/** A log with an adjustable level. Without `setLevel`, a changed level takes effect at the next start. */
export interface LevelledLog extends Log {
  readonly setLevel?: (level: LogLevel) => void;
}

export interface ReconfigureServices {
  /** The configuration that the daemon reads at each use. Immediate changes are written into it. */
  readonly settings: Configuration;
  readonly log: LevelledLog;
  /** Called with the names of the applied options, for parts that already wait by an old value. */
  readonly applied: (names: readonly OptionName[]) => void;
  /** Takes another token for the services. Returns the path of its file; undefined if there is no other one. Never throws. */
  readonly renewToken: () => string | undefined;
}

/** Applies the changes that are possible at run time, and logs which options were applied and which wait. */
export function reconfigure(wanted: Configuration, services: ReconfigureServices): Reconfigured {
  const { settings, log } = services;
  const before = settings.logLevel;
  const changed = OPTION_NAMES.filter((name) => textOf(name, settings[name]) !== textOf(name, wanted[name]));
  const appliesNow = (name: OptionName): boolean =>
    OPTIONS[name].change === "at_once" && (name !== "logLevel" || log.setLevel !== undefined);
  const applied = changed.filter(appliesNow);
  const waiting = changed.filter((name) => !appliesNow(name));
  Object.assign(settings, Object.fromEntries(applied.map((name) => [name, wanted[name]])));
  // A quieter level is set only after the lines below, so that a person who asks for fewer lines still reads them.
  log.setLevel?.(isLouder(before, settings.logLevel) ? before : settings.logLevel);
  if (applied.length > 0) services.applied(applied);
  const tokenFile = services.renewToken();
  log.info(
    { applied: applied.map(keyOf), ...(tokenFile === undefined ? {} : { new_token_in: tokenFile }) },
    "the configuration was read again",
  );
  if (waiting.length > 0) log.info({ options: waiting.map(keyOf) }, "takes effect at the next start");
  // The next start would fail.
  for (const name of SERVICE_NAMES)
    if (waiting.includes(name) && isOpen(name, wanted) && !hasPackages(name))
      log.warn({ options: [keyOf(name)] }, missingPackagesSentence(name));
  log.setLevel?.(settings.logLevel);
  return { applied, waiting };
}
