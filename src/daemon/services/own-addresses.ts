// The sockets of a daemon, those that follow from its name and those that were named. A daemon that claims its name exclusively first checks that no
// other daemon has one of them.
import { listensThere, occupantOf, processName } from "../../../transports/ipc/bind.js";
import { currentPlace, type IpcPlace, ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import { SERVICE_NAMES, type ServiceName, WAYS } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { serviceAddresses } from "../config/service-choices.js";

type Named = Pick<DaemonOptions, "place" | "producerId" | "socket" | "inheritedSocket" | ServiceName>;

/** Returns the default address of a service, beside the local socket; on Windows the local pipe itself, at which no service can listen. */
export function serviceSocketPath(
  name: ServiceName,
  producerId: string,
  instance: number,
  place: IpcPlace = currentPlace(),
): string {
  // Listeners take every `.sock` for a local socket.
  return ipcPath(place, producerId, instance).replace(/\.sock$/, WAYS[name].ending);
}

/**
 * Rejects with a Fault "address_in_use" if a live process listens at a socket of the daemon. The socket of a killed daemon does not count. Call it
 * before anything is made, so that a refused daemon leaves nothing behind, not even a journal.
 */
export async function assertNameFree(options: Named): Promise<void> {
  const { producerId, socket, inheritedSocket, place = currentPlace() } = options;
  // Somebody listens at an inherited socket: the service manager, for this daemon.
  const own = inheritedSocket === undefined ? socket.kind : "off";
  const services = SERVICE_NAMES.filter((name) => options[name].kind === "auto");
  const byName = [
    ...(own === "auto" ? [ipcPath(place, producerId)] : []),
    ...services.map((name) => serviceSocketPath(name, producerId, 1, place)),
  ];
  const named = [
    ...(own === "path" && socket.kind === "path" ? [socket.path] : []),
    ...serviceAddresses(options).flatMap((address) => (address.kind === "unix" ? [address.path] : [])),
  ];
  for (const path of [...byName, ...named]) {
    // The owner of a pipe cannot be read; the system reports a taken pipe.
    const occupant = isPipeName(path) ? undefined : await occupantOf(path, place.userId);
    if (occupant?.kind !== "alive") continue;
    throw byName.includes(path) ? nameTaken(producerId, path, occupant.pid) : listensThere(path, occupant.pid);
  }
}

function nameTaken(producerId: string, path: string, pid: number | undefined): Fault {
  const advice = "Use that daemon, stop it, or give this one another name (--producer-id NAME)";
  return new Fault(
    "address_in_use",
    `A daemon named ${producerId} runs already: ${processName(pid).toLowerCase()} listens at ${path}. ${advice}.`,
    { origin: "local" },
  );
}
