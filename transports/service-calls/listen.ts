// Listens for services: on a private Unix socket, or over TCP on loopback. Every socket is tracked here, so that connections kept open by a
// library can be ended, and so that the connection of each call is known.
import { createServer, type Server } from "node:net";
import type { Fault } from "../../src/base/errors.js";
import { within } from "../../src/base/time-limit.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { PeerIdentity, ServiceAddress } from "../../src/contracts/transport.js";
import { type After, platformAfter } from "../framing/options.js";
import { type Bound, bindPrivately } from "../ipc/bind.js";
import { currentPlace, type IpcPlace, labelOf } from "../ipc/paths.js";
import { peerProcessOf } from "../ipc/peer-user.js";
import { faultFromNodeError } from "../node-errors.js";
import { createConnections, type ServiceConnection } from "./connections.js";
import { assertLoopback } from "./loopback.js";

export interface ServiceListenOptions {
  /**
   * Connections at a time; further ones are closed at once. Default 1,024. Over TCP, at most half of them may lack a call that showed the token; the
   * oldest of these is closed for the next, and also if there is no other room.
   */
  readonly maxConnections?: number;
  /** How long a connection over TCP may stay without an admitted call, ms. Read for each connection. Default 60,000. */
  readonly silentConnectionMs?: () => number;
  /** The timer for that. Default: the platform's. */
  readonly after?: After;
  /** Receives the fault of a connection that could not be accepted. The listener goes on. Default: nobody. */
  readonly onAcceptFault?: (fault: Fault) => void;
  /** Platform, environment and user. Default: this process's. */
  readonly place?: IpcPlace;
  /** Whether plain pages are served there too, so that callers over TCP can fetch them. Default false. */
  readonly hasPages?: boolean;
}

/** The listening socket, below any protocol. */
export interface ListeningSocket {
  /** "unix:/run/…/x.sock", "127.0.0.1:50051", "[::1]:50051". */
  readonly address: string;
  /** As `Listener.renew`. */
  readonly renew: () => Promise<boolean>;
  /** Takes no new connections, and removes the files that it made. Never rejects. */
  readonly stop: () => Promise<void>;
  /**
   * Ends every connection: in order if `inOrder` settles within `withinMs`, the rest after that, once `atOnce` was called. `closed` settles when all
   * have closed by themselves. Never rejects.
   */
  readonly end: (
    withinMs: Millis,
    inOrder: (closed: Promise<unknown>) => Promise<unknown>,
    atOnce: () => void,
  ) => Promise<void>;
}

const DEFAULT_MAX_CONNECTIONS = 1024;
const DEFAULT_SILENT_CONNECTION_MS = 60_000;

/**
 * Listens, and passes on each connection with its peer. Throws a Fault "address_invalid" for an address outside loopback, "address_in_use" or
 * "permission_denied".
 */
export async function listenForCalls(
  address: ServiceAddress,
  options: ServiceListenOptions,
  accept: (connection: ServiceConnection) => void,
): Promise<ListeningSocket> {
  const { onAcceptFault = () => {}, place = currentPlace(), hasPages = false, after = platformAfter } = options;
  const connections = createConnections({
    most: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    silentMs: options.silentConnectionMs ?? (() => DEFAULT_SILENT_CONNECTION_MS),
    areAllKnown: address.kind === "unix",
    after,
  });
  let acceptedCount = 0;
  let name = "";
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    acceptedCount += 1;
    const peer: PeerIdentity = {
      label: `${name}#${acceptedCount}`,
      trust: address.kind === "unix" ? "same-user" : "token-holder",
      processId: address.kind === "unix" ? peerProcessOf(socket) : undefined,
      origin: hasPages && address.kind === "tcp" ? `http://${name}` : undefined,
    };
    const connection = connections.add(socket, peer);
    if (connection !== undefined) accept(connection);
  });
  const bound =
    address.kind === "unix" ? await bindPrivately(server, address.path, place) : await bindTcp(server, address);
  name = address.kind === "unix" ? labelOf(address.path) : tcpName(server);
  server.on("error", (error) => onAcceptFault(faultFromNodeError(error, name)));
  let isStopped = false;
  return {
    address: address.kind === "unix" ? `unix:${address.path}` : name,
    renew: bound.renew,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      try {
        bound.unbind();
      } catch (caught) {
        onAcceptFault(faultFromNodeError(caught, name));
      }
    },
    end: async (withinMs, inOrder, atOnce) => {
      const sockets = [...connections.all.keys()];
      const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
      // `after` counts from now.
      await within(withinMs, inOrder(closed), { wakeAt: after });
      atOnce();
      for (const socket of connections.all.keys()) socket.destroy();
      await closed;
    },
  };
}

async function bindTcp(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Bound> {
  assertLoopback(host);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(faultFromNodeError(error, `${host}:${port}`)));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
  return { unbind: () => server.close(), renew: async () => false };
}

function tcpName(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === "string") return "tcp";
  return bound.family === "IPv6" ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`;
}
