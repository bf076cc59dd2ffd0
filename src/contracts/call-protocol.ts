// Protocols whose frames are calls of JSON-RPC 2.0 (rpc.ts), as the runtime and the protocol see each other.
import type { PendingDeliveries } from "../engine/subscriptions/subscription-spec.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";
import type { Millis } from "./clock.js";
import type { DeliveryStream, EndReason, Protocol } from "./protocol.js";
import type { AnsweringConnection, RpcHandlers } from "./rpc.js";

/** The runner of a session of calls, as the session sees it. */
export interface CallHost {
  /** As `AnsweringConnection.notify`. */
  readonly notify: AnsweringConnection["notify"];
  /** Sends one notification for each delivery, and one for the batch's checkpoint behind them; otherwise as `AnsweringConnection.notifyBatch`. */
  readonly notifyBatch: (
    method: string,
    batch: DeliveryBatch,
    members: Readonly<Record<string, string>> | undefined,
    checkpointMethod: string,
  ) => boolean;
  /** Opens a stream of deliveries on the connection until `stop`. `ended`: the engine ends the subscription that has joined. */
  readonly openStream: (send: (batch: DeliveryBatch) => boolean, ended: (reason: EndReason) => void) => CallStream;
}

export interface CallStream extends DeliveryStream {
  readonly stop: () => void;
  /**
   * Hands over the pending deliveries as the peer takes them, until none is left or the time is over. `until` is an instant of the clock, ms;
   * default: in 10 s. Resolves with an upper bound of the events that were left.
   */
  readonly handOver: (pendingDeliveries: PendingDeliveries, until: Millis | undefined) => Promise<number>;
}

/** One peer's conversation in a protocol of calls. */
export interface CallSession extends RpcHandlers {
  /** Whether the peer has sent anything that keeps a silent connection open (R22). */
  readonly isOpen: () => boolean;
  /** The connection is gone: its agent's sessions begin their grace, its subscriptions end. `reason`: why this side ended it. */
  readonly ended: (reason?: EndReason) => void;
  /** The agent publishes no more, while the subscriptions go on (R8a). */
  readonly agentEnded: () => void;
  /**
   * Ends the subscriptions from this side. On a shutdown every pending delivery goes out first, as the peer takes it. Resolves with an upper bound
   * of the events that were left when the time was over. Never rejects.
   */
  readonly finish: (reason: EndReason, until: Millis | undefined) => Promise<number>;
}

/** A protocol in which frames are calls of JSON-RPC 2.0, and a connection may have many sources. */
export type CallProtocol = Protocol<CallHost, CallSession>;
