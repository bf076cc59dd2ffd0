// The files of a service, made from the templates in `packaging`.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { extname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { fileNameOf } from "../../../transports/ipc/paths.js";
import { Fault, usage } from "../../base/errors.js";
import type { Configuration } from "../../daemon/config/config.js";
import { packagePath } from "../shell/program-paths.js";
import type { Environment } from "../terminal/command-io.js";

export const SERVICE_KINDS = ["systemd", "launchd"] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

export interface ServiceFile {
  /** Where the service manager of this user looks for the file. */
  readonly path: string;
  readonly text: string;
}

export interface ServicePlan {
  readonly kind: ServiceKind;
  /** Names the units. */
  readonly name: string;
  /** As the service will read it. */
  readonly configuration: Configuration;
  /** The program and its arguments, with absolute paths. */
  readonly command: readonly string[];
  readonly environment: Environment;
}

/** In each file of a service, so that `install` replaces only such files. */
export const MADE_BY = "Made by `aaepd service install`";

/** The name of the service of `aaepd speak`. No daemon has this name: behind "aaepd" stands a hyphen there. */
export const SPEAK_NAME = "aaepd.speak";

/** Time between the end of an orderly stop and the end by force, seconds. */
const STOP_RESERVE_SECONDS = 10;

/** The name of a daemon's units: "aaepd", or "aaepd-planner" for a daemon of another id. */
export function serviceName({ producerId }: Pick<Configuration, "producerId">): string {
  return producerId === "aaepd" ? producerId : `aaepd-${fileNameOf(producerId)}`;
}

/** The folder of a user's units. */
export function unitDirectory({ XDG_CONFIG_HOME, HOME = homedir() }: ServicePlan["environment"]): string {
  const base = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(HOME, ".config");
  return join(base, "systemd", "user");
}

/** The files, in the order in which people read them. Throws a Fault "usage" if the configuration has no local socket, and as `servicePaths` does. */
export function serviceFiles({ kind, name, configuration, command, environment }: ServicePlan): readonly ServiceFile[] {
  const values: Readonly<Record<string, string>> =
    kind === "systemd"
      ? {
          NAME: name,
          ID: systemdValue(configuration.producerId),
          DOCUMENTATION: systemdValue(
            pathToFileURL(packagePath("docs", name === SPEAK_NAME ? "listening.md" : "operations.md")).href,
          ),
          SOCKET: name === SPEAK_NAME ? "" : socketOf(configuration),
          COMMAND: command.map(systemdWord).join(" "),
          STOP_SECONDS: String(stopSeconds(configuration)),
        }
      : {
          NAME: xmlText(name),
          ARGUMENTS: command.map((word) => `    <string>${xmlText(word)}</string>`).join("\n"),
          STOP_SECONDS: String(stopSeconds(configuration)),
          LOG: xmlText(join(environment.HOME ?? homedir(), "Library", "Logs", `${name}.log`)),
        };
  const template = `${kind}/${name === SPEAK_NAME ? name : "aaepd"}`;
  return servicePaths(kind, name, environment).map((path) => ({
    path,
    text: filled(`${template}${extname(path)}.in`, values),
  }));
}

/** The manager knows the runtime folder as `%t`, whatever the shell of the installation has for it. */
function socketOf({ socket, producerId }: Configuration): string {
  if (socket.kind === "auto") return `%t/aaep/${systemdValue(`${fileNameOf(producerId)}.sock`)}`;
  if (socket.kind === "path") return systemdValue(socket.path);
  throw usage("The service needs a local socket, and the configuration has socket off. Remove that option.");
}

/** Where the files of a service are, in the order in which people read them. Throws a Fault "unsupported" where there is none of `aaepd speak`. */
export function servicePaths(
  kind: ServiceKind,
  name: string,
  environment: ServicePlan["environment"],
): readonly string[] {
  if (kind === "systemd") {
    const units = name === SPEAK_NAME ? ["service"] : ["socket", "service"];
    return units.map((unit) => join(unitDirectory(environment), `${name}.${unit}`));
  }
  if (name !== SPEAK_NAME) return [join(environment.HOME ?? homedir(), "Library", "LaunchAgents", `${name}.plist`)];
  const sentence =
    "aaepd speak is a service of systemd alone. Elsewhere, start it at login by hand: aaepd speak --to command";
  throw new Fault("unsupported", sentence, { origin: "local" });
}

function stopSeconds({ stopTimeoutSeconds }: Configuration): number {
  return stopTimeoutSeconds + STOP_RESERVE_SECONDS;
}

/** Fills the places `@NAME@` of a template. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(packagePath("packaging", template), "utf8");
  return text.replaceAll(/@([A-Z_]+)@/g, (place, name: string) => values[name] ?? place);
}

/** A text as a value of a unit of systemd. `%` begins a specifier there. Throws a Fault "usage" for a text of several lines. */
function systemdValue(text: string): string {
  return inOneLine(text).replaceAll("%", "%%");
}

/** A text as one word of a command line of systemd whose variables are not replaced (`ExecStart=:`). */
function systemdWord(text: string): string {
  const value = systemdValue(text);
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A text as the content of an element of XML. */
function xmlText(text: string): string {
  return inOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function inOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw usage(`A service cannot name ${JSON.stringify(text)}. Move it to a path without control characters.`);
}
