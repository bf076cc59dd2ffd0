// Finds the connection of a call. The library reveals only the address of the call's socket, which is empty for Unix sockets; therefore each socket
// gets its label as its address.
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { ServiceConnection } from "../service-calls/connections.js";

export interface KnownPeer {
  readonly identity: PeerIdentity;
  readonly connection: ServiceConnection;
  /** Whether the connection still exists. When a connection breaks, its calls learn of it first. */
  readonly isConnected: () => boolean;
}

export interface Peers {
  readonly add: (connection: ServiceConnection) => void;
  /** Undefined: the connection has gone. */
  readonly ofCall: (call: { readonly getPeer: () => string }) => KnownPeer | undefined;
}

export function createPeers(): Peers {
  const known = new Map<string, KnownPeer>();
  return {
    add: (connection) => {
      const { socket, peer: identity } = connection;
      Object.defineProperty(socket, "remoteAddress", { value: identity.label });
      Object.defineProperty(socket, "remotePort", { value: undefined });
      const isConnected = () => !socket.destroyed && !socket.readableEnded;
      known.set(identity.label, { identity, connection, isConnected });
      socket.once("close", () => known.delete(identity.label));
    },
    ofCall: (call) => known.get(call.getPeer()),
  };
}
