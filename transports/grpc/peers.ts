// Whose connection a call came over. The library tells of a call only the address of its socket, which for Unix sockets is nothing; so each socket
// is given its label as its address.
import type { Socket } from "node:net";
import type { PeerIdentity } from "../../src/contracts/transport.js";

export interface KnownPeer {
  readonly identity: PeerIdentity;
  /** Whether its connection is there. After it broke, the calls over it are told of that first. */
  readonly isConnected: () => boolean;
}

export interface Peers {
  readonly add: (socket: Socket, identity: PeerIdentity) => void;
  /** Undefined: its connection has gone. */
  readonly ofCall: (call: { readonly getPeer: () => string }) => KnownPeer | undefined;
}

export function createPeers(): Peers {
  const known = new Map<string, KnownPeer>();
  return {
    add: (socket, identity) => {
      Object.defineProperty(socket, "remoteAddress", { value: identity.label });
      Object.defineProperty(socket, "remotePort", { value: undefined });
      known.set(identity.label, { identity, isConnected: () => !socket.destroyed && !socket.readableEnded });
      socket.once("close", () => known.delete(identity.label));
    },
    ofCall: (call) => known.get(call.getPeer()),
  };
}
