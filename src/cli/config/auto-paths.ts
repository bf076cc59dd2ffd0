// The paths that `auto` means.
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import type { Configuration, OptionName } from "../../daemon/config/config.js";
import { defaultJournalDirectory } from "../../daemon/journal/journal-folder.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { manifestPath, tokenPathBeside } from "../../daemon/presence/runtime-files.js";
import { serviceSocketPath } from "../../daemon/services/own-addresses.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path that the value of an option means in this environment; undefined if the value is not `auto`. */
export function autoPath(name: OptionName, configuration: Configuration, environment: Environment): string | undefined {
  const { [name]: value, producerId } = configuration;
  const path = PATHS[name];
  return path !== undefined && isAuto(value) ? path(producerId, environment) : undefined;
}

function isAuto(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "auto";
}

const PATHS: Readonly<Partial<Record<OptionName, (producerId: string, environment: Environment) => string>>> = {
  socket: (id, environment) => ipcPath({ ...currentPlace(), environment }, id),
  grpc: (id, environment) => `unix:${serviceSocketPath("grpc", id, 1, { ...currentPlace(), environment })}`,
  http: (id, environment) => `unix:${serviceSocketPath("http", id, 1, { ...currentPlace(), environment })}`,
  httpTokenFile: (id, environment) => tokenPathBeside(manifestPath(ipcPath({ ...currentPlace(), environment }, id))),
  journal: (id, environment) => defaultJournalDirectory(environment, id),
  audit: (_, environment) => stateDirectory(environment, "audit"),
};
