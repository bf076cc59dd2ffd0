import { createServer } from "node:net";
import { Fault } from "../../src/base/errors.js";
import type { Listener, PeekableConnection, Transport } from "../../src/contracts/transport.js";
import { createByteConnection } from "../framing/byte-connection.js";
import { type ByteConnectionOptions, resolveByteConnectionOptions } from "../framing/options.js";
import { faultFromNodeError } from "../node-errors.js";
import { bindPrivately, firstFreeInstance } from "./bind.js";
import { adoptInherited } from "./inherited.js";
import { currentPlace, type IpcPlace, ipcPath, labelOf } from "./paths.js";
import { peerProcessOf } from "./peer-user.js";

interface IpcListenOptions extends ByteConnectionOptions {
  /**
   * Connections at a time; further ones are closed at once. Default 1,024: when they all break off together, nobody else waits long (R34).
   */
  readonly maxConnections?: number;
  /**
   * Receives the fault of a connection that could not be accepted, for example for lack of file descriptors; of several closed one after another for
   * lack of room, only the first's. The listener goes on. Default: nobody.
   */
  readonly onAcceptFault?: (fault: Fault) => void;
  /** Platform, environment and user. Default: this process's. */
  readonly place?: IpcPlace;
  /**
   * The descriptor of a socket that listens at the address already, because a service manager made it. The socket stays when the listener stops.
   * Default: the listener makes the socket, and removes it.
   */
  readonly inherited?: number | undefined;
}

export interface IpcOptions extends IpcListenOptions {
  /** A Unix socket, or on Windows `\\.\pipe\…`. Its folder must be the user's own with mode 0700; a missing folder is made. */
  readonly path: string;
}

export interface AutoIpcOptions extends IpcListenOptions {
  readonly producerId: string;
  /** Most listeners of that producer id at a time. Default 16. */
  readonly mostInstances?: number | undefined;
}

/** Default of `IpcOptions.maxConnections`. */
export const DEFAULT_MAX_CONNECTIONS = 1024;

/** Local sockets (AAEP appendix B): a Unix socket with mode 0600 in a private folder, or a Windows named pipe. */
export function createIpcTransport(options: IpcOptions): Transport<Uint8Array> {
  resolveByteConnectionOptions(options);
  return { name: "ipc", listen: (accept) => listenAt(options.path, options, accept) };
}

/**
 * Listens at the address of appendix B for the producer id: `<id>.sock`; if that one is alive `<id>-2.sock`, and so on up to `mostInstances`. An
 * inherited socket listens at the first of them.
 */
export async function listenAuto(
  options: AutoIpcOptions,
  accept: (connection: PeekableConnection<Uint8Array>) => void,
): Promise<Listener> {
  resolveByteConnectionOptions(options);
  const place = options.place ?? currentPlace();
  if (options.inherited !== undefined) return listenAt(ipcPath(place, options.producerId), options, accept);
  return firstFreeInstance(
    (instance) => listenAt(ipcPath(place, options.producerId, instance), options, accept),
    options.mostInstances,
  );
}

async function listenAt(
  path: string,
  options: IpcListenOptions,
  accept: (connection: PeekableConnection<Uint8Array>) => void,
): Promise<Listener> {
  let accepted = 0;
  let isFull = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted += 1;
    isFull = false;
    accept(
      createByteConnection(
        { readable: socket, writable: socket },
        { label: `${labelOf(path)}#${accepted}`, trust: "same-user", processId: peerProcessOf(socket) },
        options,
      ),
    );
  });
  server.maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const { inherited, place = currentPlace() } = options;
  const bound = await (inherited === undefined
    ? bindPrivately(server, path, place)
    : adoptInherited(server, inherited, path, place));
  server.on("error", (error) => options.onAcceptFault?.(faultFromNodeError(error, path)));
  server.on("drop", () => {
    if (isFull) return;
    isFull = true;
    const sentence = `${path} has ${server.maxConnections} connections, and closes further ones until one of these ends.`;
    options.onAcceptFault?.(new Fault("rate_limit", sentence, { origin: "local" }));
  });
  let stopped = false;
  return {
    address: path,
    renew: bound.renew,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      try {
        bound.unbind();
      } catch (caught) {
        options.onAcceptFault?.(faultFromNodeError(caught, path));
      }
    },
  };
}
