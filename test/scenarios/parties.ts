// Who speaks in a scenario, whichever way.
import type { PlainPeer, RpcPeer, Subscription } from "../support/peers/peers.js";
import type { ServiceListener } from "../support/services/service-peers.js";

/** Who listens, whichever way. */
export interface WorldListener extends Omit<Subscription, "peer">, Partial<Pick<ServiceListener, "ended">> {
  /** Its connection breaks, without a word. */
  readonly vanish: () => Promise<void>;
  /** Where its stream has such a message (R22). */
  readonly heartbeats?: PlainPeer["heartbeats"];
}

/** Who publishes, whichever way. */
export interface WorldAgent extends RpcPeer {
  /** As if its connection had ended. */
  readonly leave: () => Promise<void>;
}

export function rpcAgent(peer: RpcPeer): WorldAgent {
  return { ...peer, leave: peer.close };
}

export function subscribed(subscription: Subscription): WorldListener {
  return { ...subscription, vanish: () => subscription.peer.close() };
}
