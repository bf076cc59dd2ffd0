// The daemon that a command means when it is not told which.
import { connectIpc } from "../../transports/ipc/connect.js";
import { currentPlace, ipcDirectory, ipcPath } from "../../transports/ipc/paths.js";
import { Fault } from "../base/errors.js";
import { type FoundDaemon, findDaemons } from "../client/daemons.js";

/** The socket of the only daemon that listens. Throws a Fault "not_found" where there is none, "usage" where there are several. */
export async function findSocket(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  const place = { ...currentPlace(), environment };
  // Pipes cannot be listed: the daemon of the default name it is.
  if (place.platform === "win32") return ipcPath(place, "aaepd");
  const directory = ipcDirectory(place);
  const listening = (await Promise.all((await findDaemons(directory)).map(ifListening))).flat();
  const [only] = listening;
  if (only === undefined) {
    const sentence = `There is no daemon in ${directory}. Start one with: aaepd serve`;
    throw new Fault("not_found", sentence, { origin: "local" });
  }
  if (listening.length === 1) return only.socketPath;
  const paths = listening.map(({ socketPath }) => socketPath).join(", ");
  throw new Fault("usage", `There are several daemons. Choose one with --socket: ${paths}`, { origin: "local" });
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
