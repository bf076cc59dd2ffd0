// The local socket of a daemon.
import { dirname } from "node:path";
import { createIpcTransport, DEFAULT_MAX_CONNECTIONS, listenAuto } from "../../transports/ipc/listen.js";
import { currentPlace, ipcPath } from "../../transports/ipc/paths.js";
import { type Fault, usage } from "../base/errors.js";
import type { Millis } from "../contracts/clock.js";
import type { Listener, PeekableConnection } from "../contracts/transport.js";
import type { DaemonOptions } from "./config/daemon-options.js";
import { removeStaleRuntimeFiles } from "./presence/runtime-files.js";

/** Listens at the address of the configuration. Undefined if the configuration has none. `closeTimeoutMs`: as of `ByteConnectionOptions`. */
export async function listenLocally(
  options: DaemonOptions,
  closeTimeoutMs: Millis,
  accept: (connection: PeekableConnection<Uint8Array>) => void,
): Promise<Listener | undefined> {
  const { socket, inheritedSocket: inherited, maxFrameBytes, mostInstances, log, place = currentPlace() } = options;
  const shared = {
    maxFrameBytes,
    maxConnections: Math.max(DEFAULT_MAX_CONNECTIONS, 2 * options.maxConcurrentSubscriptions),
    closeTimeoutMs,
    inherited,
    place,
    onAcceptFault: (fault: Fault) => log.warn({ code: fault.code }, fault.sentence),
  };
  switch (socket.kind) {
    case "off":
      if (inherited === undefined) return undefined;
      throw usage(
        "The service manager passed a socket, and the option socket is off. Remove the socket unit, or the option.",
      );
    case "auto":
      removeStaleRuntimeFiles(dirname(ipcPath(place, options.producerId)));
      return listenAuto({ ...shared, producerId: options.producerId, mostInstances }, accept);
    case "path":
      return createIpcTransport({ ...shared, path: socket.path }).listen(accept);
  }
}
