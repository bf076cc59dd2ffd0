// The paths that `auto` means.

import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import type { Configuration, OptionName } from "../../daemon/config/config.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { manifestPath, tokenPathBeside } from "../../daemon/presence/runtime-files.js";
import { serviceSocketPath } from "../../daemon/services/own-addresses.js";
import type { Environment } from "../terminal/command-io.js";

/** The options that may be `auto`. */
type AutoName = {
  readonly [Name in OptionName]: { readonly kind: "auto" } extends Configuration[Name] ? Name : never;
}[OptionName];

const PATHS: Readonly<Record<AutoName, (producerId: string, environment: Environment) => string>> = {
  socket: (id, environment) => ipcPath(currentPlace(environment), id),
  grpc: (id, environment) => `unix:${serviceSocketPath("grpc", id, 1, currentPlace(environment))}`,
  http: (id, environment) => `unix:${serviceSocketPath("http", id, 1, currentPlace(environment))}`,
  httpTokenFile: (id, environment) => tokenPathBeside(manifestPath(ipcPath(currentPlace(environment), id))),
  journal: (id, environment) => defaultJournalDirectory(environment, id),
  audit: (_, environment) => stateDirectory(environment, "audit"),
};

/** Returns the path that the value of an option means in this environment; undefined if the value is not `auto`. */
export function autoPath(name: OptionName, configuration: Configuration, environment: Environment): string | undefined {
  return isAutoName(name) && configuration[name].kind === "auto"
    ? PATHS[name](configuration.producerId, environment)
    : undefined;
}

function isAutoName(name: OptionName): name is AutoName {
  return Object.hasOwn(PATHS, name);
}
