import type { DescMethod } from "@bufbuild/protobuf";
import type { Fault } from "../base/errors.js";
import type { Millis } from "./clock.js";
import type { AbortSignalLike } from "./rpc.js";
import type { Connection, Listener, PeerIdentity } from "./transport.js";

/** A message's bytes in protobuf. `fault`: the client sent JSON that is no such message, or has two meanings (R19); there are no bytes then. */
export interface ServiceMessage extends Uint8Array {
  readonly fault?: Fault;
}

/** One call with one answer. */
export interface ServiceCall {
  readonly peer: PeerIdentity;
  /** "cancelled": the peer cancelled the call. "ended": the deadline has passed, or the connection is gone. */
  readonly signal: AbortSignalLike;
}

/** A method of a service, in terms that every transport of services can serve. Messages are bytes in protobuf, in and out. */
export type ServiceMethod =
  | {
      readonly kind: "unary";
      readonly descriptor: DescMethod;
      /** Throws a Fault, or rejects with one; the Fault becomes the status of the call (R20). */
      readonly answer: (request: ServiceMessage, call: ServiceCall) => Uint8Array | Promise<Uint8Array>;
    }
  | {
      readonly kind: "stream";
      readonly descriptor: DescMethod;
      /**
       * Whether concatenated frames are one message, so that a batch can leave as few messages: repeated fields of protobuf add up. If false, each
       * frame is a message of its own.
       */
      readonly joinsBatches: boolean;
      /**
       * Serves one call. The connection's frames are the client's messages, each a `ServiceMessage`; a method that takes one message gets one
       * frame. The end of the frames is not the end of the connection. A close without a fault gives the status OK, a close with a fault the
       * fault's status. The close follows everything handed over, and cuts off a peer that does not read.
       */
      readonly accept: (connection: Connection<Uint8Array>) => void;
    };

/** A fault as the typed detail of a status: the full name of a message, and its bytes. */
export type DescribeFault = (fault: Fault) => { readonly typeName: string; readonly bytes: Uint8Array };

/** The head of a call, known before the call is served. */
export interface CallHead {
  /** The header `Host`, or `:authority`. */
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  /** Path of the method, as in `/aaep.v1.SubscriberService/Listen`. */
  readonly path: string;
  /** The secret of a listener's base address, beneath which the path stands. */
  readonly secret?: string | undefined;
}

/** Decides whether a call may be served at all; the fault gives the reason for a refusal. */
export type Admit = (head: CallHead) => Fault | undefined;

export interface ServiceListener extends Listener {
  /** Called after `stop`. Waits at most `withinMs` for closing streams and for answers, then ends every connection. Never rejects. */
  readonly drain: (withinMs?: Millis) => Promise<void>;
}
