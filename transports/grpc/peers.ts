// Whose connection a call came over. The library tells of a call only the address of its socket, which for Unix sockets is nothing; so each socket
// is given its label as its address.
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { ServiceConnection } from "../service-calls/connections.js";

export interface KnownPeer {
  readonly identity: PeerIdentity;
  readonly connection: ServiceConnection;
  /** Whether its connection is there. After it broke, the calls over it are told of that first. */
  readonly isConnected: () => boolean;
}

export interface Peers {
  readonly add: (connection: ServiceConnection) => void;
  /** Undefined: its connection has gone. */
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
