// The daemon that a command means when it is not told which.
import { connectIpc } from "../../../transports/ipc/connect.js";
import { privateDirectories } from "../../../transports/ipc/directory.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { Fault } from "../../base/errors.js";
import { type FoundDaemon, findAllDaemons } from "../../client/daemons.js";

/**
 * The socket of the only daemon that listens in these directories; where there are none to look in, the pipe of the usual name, because pipes
 * cannot be listed. Throws a Fault "not_found" where nobody listens, "usage" where there are several.
 */
export async function findSocket(directories: readonly string[]): Promise<string> {
  if (directories.length === 0) return usualSocket();
  const listening = await listeningDaemons(directories);
  const [only] = listening;
  if (only === undefined) throw noDaemonIn(directories);
  if (listening.length === 1) return only.socketPath;
  const names = listening.map(({ label, socketPath }) => `${label} (${socketPath})`).join(", ");
  throw new Fault("usage", `There are several daemons. Choose one with --socket: ${names}`, { origin: "local" });
}

/** Where a daemon of the usual name listens. */
export function usualSocket(): string {
  return ipcPath(currentPlace(), "aaepd");
}

/** Those that somebody listens for. A directory that others can write to is not believed (U3). */
export async function listeningDaemons(directories: readonly string[]): Promise<readonly FoundDaemon[]> {
  const found = await findAllDaemons(privateDirectories(directories, currentPlace().userId));
  return (await Promise.all(found.map(ifListening))).flat();
}

export function noDaemonIn(directories: readonly string[]): Fault {
  const sentence = `There is no daemon in ${directories.join(" or ")}. Start one with: aaepd serve`;
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
