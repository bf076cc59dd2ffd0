// The socket of a command: that of its option, else of the variable that daemons use too, else of the only daemon.

import { connectIpc } from "../../../transports/ipc/connect.js";
import { assertSocketDirectory, privateDirectories } from "../../../transports/ipc/directory.js";
import { currentPlace, ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import { Fault, faultFrom, usage } from "../../base/errors.js";
import { type FoundDaemon, findAllDaemons } from "../../client/discovery/discover-daemons.js";
import { given, readPath, socketChoice } from "../../daemon/config/config-values.js";
import type { CommandIo, Environment } from "../terminal/command-io.js";

export const SOCKET_VARIABLE = "AAEPD_SOCKET";

export interface ChosenSocket {
  readonly path: string;
  /** The variable chose it. Errors say so, because a variable is easily forgotten. */
  readonly isByVariable: boolean;
}

/**
 * Returns the socket of `--socket`, else of AAEPD_SOCKET. Undefined if neither names one, as with the variable's `auto`: the command then looks for
 * daemons. Throws a Fault "usage" if the variable names no place, as with `off`.
 */
export function chosenSocket(option: string | undefined, environment: Environment): ChosenSocket | undefined {
  if (option !== undefined) return { path: pathOfOption(option), isByVariable: false };
  const text = environment[SOCKET_VARIABLE];
  if (text === undefined) return undefined;
  const read = socketChoice.fromText(text);
  if (read.kind === "value" && read.value.kind === "auto") return undefined;
  if (read.kind === "value" && read.value.kind === "path") return { path: read.value.path, isByVariable: true };
  const sentence = `The variable ${SOCKET_VARIABLE} is ${JSON.stringify(text.slice(0, 200))}, at which no daemon listens. Set it to the path of a socket or to auto, unset it, or give --socket.`;
  throw usage(sentence);
}

/** A path as daemons read it, so that both mean the same socket. */
function pathOfOption(text: string): string {
  const read = isPipeName(text) ? given(text) : readPath(text, "the path of a socket");
  if (read.kind === "value") return read.value;
  throw usage(`--socket is ${JSON.stringify(text)}. Give ${read.wanted}.`);
}

/** Connects as `connect` does. If the variable chose the socket, the Fault mentions the variable. */
export function connectingTo<Given extends readonly unknown[], Connected>(
  { isByVariable }: ChosenSocket,
  connect: (...given: Given) => Promise<Connected>,
): (...given: Given) => Promise<Connected> {
  if (!isByVariable) return connect;
  return async (...given) => {
    try {
      return await connect(...given);
    } catch (caught) {
      const fault = faultFrom(caught);
      const sentence = `${fault.sentence} The variable ${SOCKET_VARIABLE} names that socket. Change it, unset it, or give --socket.`;
      throw new Fault(fault.code, sentence, { origin: fault.origin, cause: fault });
    }
  };
}

/**
 * Returns the socket of the only daemon that listens in these directories; without directories the pipe of the usual name, because pipes cannot be
 * listed. Throws a Fault as of `noDaemonIn` if no daemon listens, "usage" if several do.
 */
export async function findSocket(directories: readonly string[]): Promise<string> {
  if (directories.length === 0) return usualSocket();
  const listening = await listeningDaemons(directories);
  const [only] = listening;
  if (only === undefined) throw noDaemonIn(directories);
  if (listening.length === 1) return only.socketPath;
  const names = listening.map(({ label, socketPath }) => `${label} (${socketPath})`).join(", ");
  throw usage(`There are several daemons. Choose one with --socket: ${names}`);
}

/** The socket that `--socket` or the variable names, else that of the only daemon. Rejects as both do. */
export async function socketOf(
  option: string | undefined,
  { environment, daemonDirectories }: Pick<CommandIo, "environment" | "daemonDirectories">,
): Promise<ChosenSocket> {
  return chosenSocket(option, environment) ?? { path: await findSocket(daemonDirectories), isByVariable: false };
}

/** The socket of a daemon of the usual name. */
export function usualSocket(): string {
  return ipcPath(currentPlace(), "aaepd");
}

/** Returns the found daemons whose sockets accept connections. A directory that others can write to is ignored. */
export async function listeningDaemons(directories: readonly string[]): Promise<readonly FoundDaemon[]> {
  const found = await findAllDaemons(privateDirectories(directories, currentPlace().userId));
  return (await Promise.all(found.map(ifListening))).flat();
}

/** Why no daemon was found: "permission_denied" if the usual directory is ignored, because it is not this user's alone, otherwise "not_found". */
export function noDaemonIn(directories: readonly string[]): Fault {
  const [usual] = directories;
  try {
    if (usual !== undefined) assertSocketDirectory(usual, currentPlace());
  } catch (caught) {
    return faultFrom(caught);
  }
  const sentence = `There is no daemon in ${directories.join(" or ")}. To start one: aaepd setup, or in a terminal of its own: aaepd serve`;
  return new Fault("not_found", sentence, { origin: "local" });
}

async function ifListening(daemon: FoundDaemon): Promise<readonly FoundDaemon[]> {
  try {
    const connection = await connectIpc(daemon.socketPath);
    await connection.close();
    return [daemon];
  } catch {
    return [];
  }
}
