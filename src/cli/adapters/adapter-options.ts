// The options that all commands of this room have.
import type { Command } from "commander";
import { currentPlace, type IpcPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import { type Speech, speechOf } from "../../adapters/language.js";
import { givenName } from "../../adapters/names.js";
import { chosenSocket } from "../shell/chosen-socket.js";
import { languageTag } from "../shell/option-values.js";

export interface AdapterOptions {
  readonly name?: string;
  readonly language?: string;
  readonly socket?: string;
}

/** `fallback`: what the name is by default. */
export function addAdapterOptions(command: Command, fallback: string): Command {
  return command
    .option("--name <name>", `name for people (default: ${fallback})`)
    .option("--language <tag>", "language of the announcements, as in de (default: that of the locale)", languageTag)
    .option("--socket <path>", "socket of the daemon (default: AAEPD_SOCKET, else that of aaepd serve)");
}

export interface AdapterSettings {
  readonly name: string | undefined;
  readonly speech: Speech;
  readonly socket: string | undefined;
  readonly runtimeFolder: string | undefined;
  readonly folder: string;
}

/** Throws a Fault "usage" for a name or a socket that cannot be. */
export function adapterSettings(
  { name, language, socket }: AdapterOptions,
  environment: IpcPlace["environment"],
): AdapterSettings {
  return {
    name: name === undefined ? undefined : givenName(name),
    speech: speechOf(language, environment),
    socket: chosenSocket(socket, environment)?.path,
    runtimeFolder: ipcDirectories(currentPlace(environment))[0],
    folder: process.cwd(),
  };
}
