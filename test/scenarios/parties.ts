// Who speaks in a scenario, whichever way.
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { MessageQueue } from "../support/peers/message-queue.js";
import type { RpcPeer, Subscription } from "../support/peers/peers.js";
import type { Agent } from "../support/services/agents.js";
import type { ServiceEnd } from "../support/services/service-client.js";

/** Who listens, whichever way. */
export interface WorldListener extends Omit<Subscription, "peer"> {
  /** Its connection breaks, without a word. */
  readonly vanish: () => Promise<void>;
  /** Where its stream has such a message (R22). */
  readonly heartbeats?: MessageQueue<Message>;
  /** How its stream ended, where streams have a status. */
  readonly ended?: () => Promise<ServiceEnd>;
}

/** Who publishes, whichever way. */
export interface WorldAgent extends Agent {
  /** As if its connection had ended. */
  readonly leave: () => Promise<void>;
  /** What needs no answer, where there is such a thing. */
  readonly notifying: Pick<RpcPeer, "notify" | "errors"> | undefined;
}

export function rpcAgent(peer: RpcPeer): WorldAgent {
  return { ...peer, leave: peer.close, notifying: peer };
}

export function subscribed(subscription: Subscription): WorldListener {
  return { ...subscription, vanish: () => subscription.peer.close() };
}
