import type { Fault } from "../base/errors.js";
import type { JsonOutline } from "../base/json-document.js";
import type { PendingDeliveries } from "../engine/subscriptions/taken.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";
import type { Millis } from "./clock.js";
import type { DeliverySource, EndReason, Protocol } from "./protocol.js";
import type { CloseInfo, FrameBatch, PeerIdentity } from "./transport.js";

/** One JSON-RPC message that came in. */
export interface RpcCall {
  readonly method: string;
  /** As parsed; undefined where the message had none. */
  readonly params: unknown;
  /** The text of the whole message as it was received, so that what must go out byte-identical can be cut from it (R2). */
  readonly text: string;
  /** Of that text. */
  readonly outline: JsonOutline;
  /** Aborted when the peer cancels the request or the connection ends. Made when it is first read. */
  readonly signal: AbortSignalLike;
}

/** What the pure folders need of an AbortSignal. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** Why: the peer wants no answer any more, or cannot get one. Undefined while it is not aborted. */
  readonly reason: "cancelled" | "ended" | undefined;
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void;
}

/** A message that is JSON and no call as it stands, because it could be taken for two (R19) or breaks JSON-RPC. */
export interface RefusedCall {
  readonly text: string;
  readonly fault: Fault;
  /** It has no id: nobody waits for an answer. */
  readonly isNotification: boolean;
}

export interface RpcHandlers {
  /** Answers the result, or throws a Fault, which becomes the error of the answer (R33). A synchronous answer is sent in the same turn. */
  readonly request: (call: RpcCall) => unknown;
  /** May not throw. */
  readonly notification: (call: RpcCall) => void;
  /** Answers the result of a refused message, which goes out if its id is clear; undefined: its error goes out. May not throw. Default: its error. */
  readonly refused?: (call: RefusedCall) => { readonly result: unknown } | undefined;
  /** Whether this call may cost so much that the peer's next message waits for a later turn of the event loop. Default: none does. */
  readonly isCostly?: (method: string, params: unknown) => boolean;
  /** A promise of when the peer's next message may be handled; undefined where it may be at once, which is the default. */
  readonly room?: () => Promise<void> | undefined;
}

/** One JSON-RPC 2.0 peer over any byte connection, which is answered and not asked. Knows method names only as strings. */
export interface AnsweringConnection {
  readonly peer: PeerIdentity;
  /**
   * Answers as `Connection.send` does. What a handler sends with it while it has a notification counts as the answer to it: no more is read until
   * that is taken.
   */
  readonly notify: (method: string, params: object) => boolean;
  /**
   * One notification a frame of `run`; each frame is the JSON of its params, spliced unchanged between a constant head and tail.
   * `members` are further members of the message beside method and params; `lastMethod` is the method of the run's last frame, by default the same,
   * and has the members among its params too.
   */
  readonly notifyBatch: (
    method: string,
    batch: FrameBatch<Uint8Array>,
    members?: Readonly<Record<string, string>>,
    lastMethod?: string,
  ) => boolean;
  readonly writable: () => Promise<void>;
  /**
   * Resolves when the peer sends no more and all it sent has been handed to the handlers. Never rejects. Answers and notifications can still go out
   * until `close` is called or the connection closes (R8a).
   */
  readonly ended: Promise<void>;
  readonly takeNoMore: () => void;
  /** Takes no more in, sends what was handed over and what handlers answer in this turn, then closes as `Connection.close` does. Never rejects. */
  readonly close: (withinMs?: Millis) => Promise<void>;
  readonly closed: Promise<CloseInfo>;
}

/** The same of a peer that is asked as well. */
export interface RpcConnection extends AnsweringConnection {
  /** Rejects with a Fault: the peer's own code where it gave one, "peer_gone" where the answer can no longer come. */
  readonly request: (method: string, params: object) => Promise<unknown>;
}

type SendBatch = (batch: DeliveryBatch) => boolean;

/** The runner of a session of calls, as the session sees it. */
export interface CallHost {
  /** As of `AnsweringConnection`. */
  readonly notify: AnsweringConnection["notify"];
  /** One notification a delivery, and where the run has a checkpoint another one behind them; else as of `AnsweringConnection`. */
  readonly notifyBatch: (
    method: string,
    batch: DeliveryBatch,
    members: Readonly<Record<string, string>> | undefined,
    checkpointMethod: string,
  ) => boolean;
  /** Joins a source to the connection until `stop`. */
  readonly startPump: (
    source: DeliverySource,
    send: SendBatch,
  ) => { readonly wake: () => void; readonly stop: () => void };
  /**
   * Hands over what is owed as the peer takes it, until it is all or the time is over; `until` is an instant of the clock, ms. Resolves with at most
   * how many events were left. Rejects where one could not be made.
   */
  readonly handOver: (
    pendingDeliveries: PendingDeliveries,
    send: SendBatch,
    until: Millis | undefined,
  ) => Promise<number>;
}

/** One peer's conversation in a protocol of calls. */
export interface CallSession {
  readonly handlers: RpcHandlers;
  /** Whether anything has been said that keeps a silent connection open (R22). */
  readonly isOpen: () => boolean;
  /** The connection is gone: its agent's sessions begin their grace, its subscriptions end. `reason`: why this side ended it. */
  readonly ended: (reason?: EndReason) => void;
  /** Its agent says no more, while its subscriptions go on (R8a). */
  readonly agentEnded: () => void;
  /**
   * Ends its subscriptions from this side; on a shutdown everything owed goes out first, as the peer takes it. Resolves with at most how many events
   * were left when the time was over. Never rejects.
   */
  readonly finish: (reason: EndReason, until: Millis | undefined) => Promise<number>;
}

/** A protocol in which frames are calls of JSON-RPC 2.0, and a connection may have many sources. */
export type CallProtocol = Protocol<CallHost, CallSession>;
