// Finds the daemon for a command that names none.
import { existsSync } from "node:fs";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { assertPrivateDirectory, privateDirectories } from "../../../transports/ipc/directory.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { Fault, faultFrom, usage } from "../../base/errors.js";
import { type FoundDaemon, findAllDaemons } from "../../client/discovery/discover-daemons.js";
import type { CommandIo } from "../terminal/command-io.js";
import { type ChosenSocket, chosenSocket } from "./chosen-socket.js";

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

/** Why no daemon was found: "permission_denied" if others can reach the usual directory, which is ignored then, otherwise "not_found". */
export function noDaemonIn(directories: readonly string[]): Fault {
  const [usual] = directories;
  try {
    if (usual !== undefined && existsSync(usual)) assertPrivateDirectory(usual, currentPlace().userId);
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
